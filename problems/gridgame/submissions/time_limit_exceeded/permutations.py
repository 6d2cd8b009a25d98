# Mistake: sorts all permutations by their totals for each grid, which Python does in time for one grid, not for fifty.

import sys
from itertools import permutations


def total(grid):
    rows = range(len(grid))
    totals = {}
    for columns in permutations(rows):
        totals[columns] = sum(grid[row][columns[row]] for row in rows)
    best = sorted(totals, key=totals.get)
    return totals[best[0]]


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    n = next(numbers)
    grid = [[next(numbers) for _ in range(n)] for _ in range(n)]
    print(total(grid))
