"""Prints n and a random number up to n: random_number.py N SEED."""

import random
import sys

n, seed = map(int, sys.argv[1:])
random.seed(seed)
print(n, random.randint(1, n))
