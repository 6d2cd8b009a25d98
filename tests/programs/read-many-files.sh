#!/bin/sh
# Pages of files are charged to nobody.
find /usr/bin /usr/lib -type f -size +64k 2> /dev/null | head -100 | xargs cat 2> /dev/null | head -c 33554432 > /dev/null
