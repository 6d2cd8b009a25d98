#!/bin/sh
for path in /dev/*; do
    case $path in
        /dev/null | /dev/zero | /dev/full | /dev/random | /dev/urandom | /dev/fd | /dev/stdin | /dev/stdout | /dev/stderr | /dev/shm) ;;
        *) echo "ESCAPED: $path" ;;
    esac
done
