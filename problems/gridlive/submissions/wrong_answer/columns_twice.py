# Mistake: takes the smallest number of the row, even where its column is gone.

import sys

n = int(sys.stdin.readline())
grid = [list(map(int, sys.stdin.readline().split())) for _ in range(n)]

for _ in range(n):
    row = grid[int(sys.stdin.readline()) - 1]
    print(row.index(min(row)) + 1, flush=True)
