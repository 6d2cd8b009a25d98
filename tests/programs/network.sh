#!/bin/bash
# Services of the machine and of the world.
for place in 127.0.0.1/22 127.0.0.1/80 169.254.169.254/80 1.1.1.1/53; do
    (: > "/dev/tcp/$place") 2> /dev/null && echo "ESCAPED: connected to $place"
    (echo x > "/dev/udp/$place") 2> /dev/null && echo "ESCAPED: sent to $place"
done
exit 0
