#!/usr/bin/python3
# Everything about PID 1, which started this program.
import os
for name in ("environ", "mem", "maps", "root", "cwd", "exe", "fd", "auxv", "cmdline", "stack", "status", "ns/mnt", "task"):
    path = f"/proc/1/{name}"
    for attempt in (lambda: open(path, "rb").read(1), lambda: os.listdir(path), lambda: os.readlink(path)):
        try:
            attempt()
            print("ESCAPED:", path)
        except OSError:
            pass
others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
if others:
    print("ESCAPED: other processes", others)
