# Mistake: wants to know the rows of all rounds before it answers the first.

import sys
from itertools import permutations

n, *numbers = map(int, sys.stdin.read().split())
grid = [numbers[row * n : row * n + n] for row in range(n)]
rows = numbers[n * n :]


def total(columns):
    return sum(row[column] for row, column in zip(grid, columns))


columns = min(permutations(range(n)), key=total)
for row in rows:
    print(columns[row - 1] + 1)
