# Mistake: asks for one row more after the last round.

import sys

n = int(sys.stdin.readline())
grid = [list(map(int, sys.stdin.readline().split())) for _ in range(n)]

from itertools import permutations


def total(columns):
    return sum(row[column] for row, column in zip(grid, columns))


columns = min(permutations(range(n)), key=total)
while True:
    row = int(sys.stdin.readline()) - 1
    print(columns[row] + 1, flush=True)
