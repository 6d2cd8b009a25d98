#!/bin/sh
# Every program of the system that runs with its owner's rights elsewhere.
for program in su sudo mount umount passwd newgrp chsh pkexec newuidmap; do
    path=$(command -v "$program") || continue
    case $program in
        mount) "$path" -t tmpfs none /tmp ;;
        umount) "$path" /proc ;;
        su) "$path" -c id root < /dev/null ;;
        sudo | pkexec) "$path" -n id < /dev/null ;;
        *) continue ;;
    esac > /tmp/said 2> /dev/null && echo "ESCAPED: $program"
    grep -q "uid=0" /tmp/said && echo "ESCAPED: root by $program"
done
exit 0
