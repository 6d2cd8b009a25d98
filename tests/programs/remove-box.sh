#!/bin/sh
rm -rf /box /tmp /usr /proc /dev /etc 2> /dev/null
rmdir /box 2> /dev/null && echo "ESCAPED: the box is gone"
mv /box /tmp/elsewhere 2> /dev/null && echo "ESCAPED: the box is elsewhere"
[ -x /usr/bin/env ] || echo "ESCAPED: the system is gone"
exit 0
