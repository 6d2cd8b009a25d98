#!/bin/sh
# Pages of files that somebody reads are nobody's.
find /usr/bin /usr/lib -type f -size +64k 2> /dev/null | head -100 | xargs cat 2> /dev/null | head -c 33554432 > /dev/null
