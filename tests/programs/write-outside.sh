#!/bin/sh
cd / || exit 90
for place in / /usr /usr/bin /usr/local /bin /lib /etc /dev /proc /proc/self /program /opt /var/tmp /run; do
    (: > "$place/trace") 2> /dev/null && echo "ESCAPED: wrote in $place"
done
(: >> /etc/passwd) 2> /dev/null && echo "ESCAPED: wrote in /etc/passwd"
(: >> "$0") 2> /dev/null && echo "ESCAPED: wrote in the program"
chmod 777 "$0" 2> /dev/null && echo "ESCAPED: changed the program's mode"
exit 0
