# Mistake: takes the smallest number off every row and then off every column, and is content with what was taken off:
# half of the Hungarian method.

import sys


def total(grid):
    taken_off = sum(map(min, grid))
    reduced = [[cell - min(row) for cell in row] for row in grid]
    return taken_off + sum(map(min, zip(*reduced)))


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    n = next(numbers)
    grid = [[next(numbers) for _ in range(n)] for _ in range(n)]
    print(total(grid))
