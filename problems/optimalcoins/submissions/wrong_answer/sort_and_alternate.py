# Mistake: both take the largest coin left in turn, as if every coin could be reached.

import sys


def collected(row):
    return sum(sorted(row, reverse=True)[::2])


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    row = [next(numbers) for _ in range(next(numbers))]
    print(collected(row))
