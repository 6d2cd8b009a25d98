"""Tries 1, 2, 3 and so on, which takes too many guesses."""

import itertools
import sys

input()
for guess in itertools.count(1):
    print(guess, flush=True)
    if sys.stdin.readline().strip() != "higher":
        break
