# Mistake: plays two rounds at least. It skips empty lines, also the one that stands for the end of the input, so on a grid
# of one row it waits for ever.

import sys
from itertools import permutations

n = int(sys.stdin.readline())
grid = [list(map(int, sys.stdin.readline().split())) for _ in range(n)]


def total(columns):
    return sum(row[column] for row, column in zip(grid, columns))


columns = min(permutations(range(n)), key=total)
for _ in range(max(n, 2)):
    line = ""
    while not line.strip():
        line = sys.stdin.readline()
    print(columns[int(line) - 1] + 1, flush=True)
