#!/usr/bin/python3
# Until there are no more inodes.
import os

try:
    for number in range(1_000_000):
        os.close(os.open(f"f{number}", os.O_CREAT | os.O_WRONLY))
    print("ESCAPED: a million files")
except OSError:
    pass
