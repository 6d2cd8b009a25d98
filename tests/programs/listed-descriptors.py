#!/usr/bin/python3
# The same by name; one is the list itself.
import os
names = [name for name in os.listdir("/proc/self/fd") if int(name) > 2]
links = []
for name in names:
    try:
        links.append(os.readlink(f"/proc/self/fd/{name}"))
    except OSError:
        pass
if links:
    print("ESCAPED:", links)
