#!/usr/bin/python3
import os
known = {"PATH", "HOME", "LANG", "TZ", "TMPDIR", "LC_CTYPE"}
for name in os.environ:
    if name not in known:
        print("ESCAPED:", name)
