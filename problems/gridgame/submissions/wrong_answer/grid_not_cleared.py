# Mistake: rows are appended to those of the grid before; only the first n of them are ever looked at.

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
rows = []
for _ in range(next(numbers)):
    n = next(numbers)
    for _ in range(n):
        rows.append([next(numbers) for _ in range(n)] + [0] * 8)
    print(total([row[:n] for row in rows[:n]]))
