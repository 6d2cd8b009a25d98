# Mistake: recursion as deep as the row is long; Python allows a depth of 1000.

import sys
from functools import cache


def collected(row, dumb):
    n = len(row)

    @cache
    def play(i, j):
        """What the first player collects of coins i to j."""
        if i > j:
            return 0
        if (n - (j - i + 1)) % 2 == 0:
            return max(row[i] + play(i + 1, j), row[j] + play(i, j - 1))
        return (max if dumb else min)(play(i + 1, j), play(i, j - 1))

    return play(0, n - 1)


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    row = [next(numbers) for _ in range(next(numbers))]
    print(collected(row, True), collected(row, False))
