#!/bin/sh
# Everything that a machine knows, by any of its names.
for path in /etc/shadow /etc/gshadow /etc/ssh /etc/hostname /etc/machine-id /etc/fstab /root /home /var /srv /mnt /media /boot \
    /sys /run /proc/kcore /dev/mem /dev/kmem /dev/kmsg /dev/sda /dev/vda /dev/loop0 /dev/tty /dev/ptmx /dev/fuse \
    /dev/net/tun /dev/kvm /proc/1/environ /proc/self/root/home /proc/self/root/root; do
    cat "$path" 2> /dev/null | grep -q . && echo "ESCAPED: read $path"
    ls -A "$path" 2> /dev/null | grep -qv "^$path\$" && echo "ESCAPED: listed $path"
done
exit 0
