"""Takes the column in which this row is best compared with the rows that are left."""

n = int(input())
grid = [list(map(int, input().split())) for _ in range(n)]
rows, free = set(range(n)), set(range(n))
for _ in range(n):
    row = int(input()) - 1
    rows.remove(row)
    column = min(free, key=lambda c: grid[row][c] - min((grid[r][c] for r in rows), default=0))
    free.remove(column)
    print(column + 1, flush=True)
