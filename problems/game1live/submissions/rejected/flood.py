"""Does not read anything, and prints moves for ever: some game will need them."""

import sys

try:
    while True:
        sys.stdout.write("LR\n" * 1000)
except BrokenPipeError:
    pass
