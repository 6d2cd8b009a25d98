# Mistake: adds the smallest number of each row; two of them may stand in one column.

import sys


def total(grid):
    return sum(map(min, grid))


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    n = next(numbers)
    grid = [[next(numbers) for _ in range(n)] for _ in range(n)]
    print(total(grid))
