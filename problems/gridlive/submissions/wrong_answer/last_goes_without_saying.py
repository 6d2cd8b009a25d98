# Mistake: leaves the last column out, since only one is left anyway.

import sys

n = int(sys.stdin.readline())
grid = [list(map(int, sys.stdin.readline().split())) for _ in range(n)]

from itertools import permutations


def total(columns):
    return sum(row[column] for row, column in zip(grid, columns))


columns = min(permutations(range(n)), key=total)
for _ in range(n - 1):
    row = int(sys.stdin.readline()) - 1
    print(columns[row] + 1, flush=True)
