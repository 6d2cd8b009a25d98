#!/bin/sh
i=0
while [ $i -lt 60 ]; do
    head -c 1048576 /dev/zero > "file$i" || exit 50
    i=$((i + 1))
done
exit 51
