#!/usr/bin/python3
# Until there are no more inodes.
try:
    for number in range(1_000_000):
        open(f"f{number}", "w").close()
    print("ESCAPED: a million files")
except OSError:
    pass
