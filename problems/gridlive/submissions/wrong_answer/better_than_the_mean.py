# Mistake: every turn takes the column whose loss would be largest for the other rows, a rule of thumb.

import sys

n = int(sys.stdin.readline())
grid = [list(map(int, sys.stdin.readline().split())) for _ in range(n)]

free = set(range(n))
rows = set(range(n))
for _ in range(n):
    row = int(sys.stdin.readline()) - 1
    rows.remove(row)
    mean = {column: sum(grid[r][column] for r in rows) / max(1, len(rows)) for column in free}
    column = min(free, key=lambda column: grid[row][column] - mean[column])
    free.remove(column)
    print(column + 1, flush=True)
