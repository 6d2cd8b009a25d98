# Mistake: takes the smallest number of the row that is left, and forgets what the other rows need.

import sys

n = int(sys.stdin.readline())
grid = [list(map(int, sys.stdin.readline().split())) for _ in range(n)]

free = set(range(n))
for _ in range(n):
    row = grid[int(sys.stdin.readline()) - 1]
    column = min(free, key=lambda column: row[column])
    free.remove(column)
    print(column + 1, flush=True)
