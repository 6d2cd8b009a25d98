# Mistake: a mask of 7 bits for the columns; the eighth column is free at all times.

import sys


def total(grid):
    n = len(grid)
    best = {0: 0}
    for row in grid:
        longer = {}
        for taken, so_far in best.items():
            for column in range(n):
                if not taken & (1 << column & 127):
                    key = taken | (1 << column & 127)
                    longer[key] = min(longer.get(key, so_far + row[column]), so_far + row[column])
        best = longer
    return min(best.values())


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    n = next(numbers)
    grid = [[next(numbers) for _ in range(n)] for _ in range(n)]
    print(total(grid))
