# Mistake: recursion as deep as the row is long; Python allows a depth of 1000. Rows of a hundred coins are solved in
# time.

import sys
from functools import cache


def collected(row):
    @cache
    def lead(i, j):
        """By how much the player to move leads on the coins from i up to j."""
        if i == j:
            return 0
        by_left, by_right = row[i] - lead(i + 1, j), row[j - 1] - lead(i, j - 1)
        return by_left if by_left > by_right else by_right

    return (sum(row) + lead(0, len(row))) // 2


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    row = [next(numbers) for _ in range(next(numbers))]
    print(collected(row))
