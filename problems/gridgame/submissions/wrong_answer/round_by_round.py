# Mistake: each round for itself: Alice takes the row whose smallest number left is largest, and Bob takes that
# number.

import sys


def total(grid):
    rows, free, sum_of_all = list(grid), set(range(len(grid))), 0
    while rows:
        row = max(rows, key=lambda row: min(row[column] for column in free))
        column = min(free, key=lambda column: row[column])
        sum_of_all += row[column]
        rows.remove(row)
        free.remove(column)
    return sum_of_all


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    n = next(numbers)
    grid = [[next(numbers) for _ in range(n)] for _ in range(n)]
    print(total(grid))
