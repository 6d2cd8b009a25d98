"""Prints a row of random numbers: random_row.py LENGTH LEAST MOST SEED."""

import random
import sys

length, least, most, seed = map(int, sys.argv[1:])
random.seed(seed)
print(length)
print(*(random.randint(least, most) for _ in range(length)))
