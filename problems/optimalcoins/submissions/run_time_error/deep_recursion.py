# Mistake: recursion as deep as the row is long; Python allows a depth of 1000, and each coin takes three calls. Rows of
# 200 coins are solved in time.

import sys
from functools import cache


def collected(row):
    @cache
    def lead(i, j):
        """By how much the player to move leads on the coins from i up to j."""
        return 0 if i == j else max(by_left(i, j), by_right(i, j))

    def by_left(i, j):
        return row[i] - lead(i + 1, j)

    def by_right(i, j):
        return row[j - 1] - lead(i, j - 1)

    return (sum(row) + lead(0, len(row))) // 2


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    row = [next(numbers) for _ in range(next(numbers))]
    print(collected(row))
