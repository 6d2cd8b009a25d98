# Mistake: Bob takes the smallest number left in each row, from top to bottom.

import sys


def total(grid):
    free = set(range(len(grid)))
    sum_of_all = 0
    for row in grid:
        column = min(free, key=lambda column: row[column])
        sum_of_all += row[column]
        free.remove(column)
    return sum_of_all


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    n = next(numbers)
    grid = [[next(numbers) for _ in range(n)] for _ in range(n)]
    print(total(grid))
