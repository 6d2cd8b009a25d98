# Rows from top to bottom, and for every set of columns the least total that takes them.

import sys


def total(grid):
    """The least total of one number from each row, no two from one column."""
    n = len(grid)
    best = {0: 0}  # columns taken from the rows so far -> their least total
    for row in grid:
        longer = {}
        for taken, so_far in best.items():
            for column in range(n):
                if not taken >> column & 1:
                    key = taken | 1 << column
                    longer[key] = min(longer.get(key, so_far + row[column]), so_far + row[column])
        best = longer
    return best[(1 << n) - 1]


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    n = next(numbers)
    grid = [[next(numbers) for _ in range(n)] for _ in range(n)]
    print(total(grid))
