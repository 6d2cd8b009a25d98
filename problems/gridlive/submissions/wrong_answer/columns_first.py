"""Gives every column the row in which it is smallest, from left to right."""

n = int(input())
grid = [list(map(int, input().split())) for _ in range(n)]
free = set(range(n))
column_of = {}
for column in range(n):
    row = min(free, key=lambda r: grid[r][column])
    free.remove(row)
    column_of[row] = column
for _ in range(n):
    print(column_of[int(input()) - 1] + 1, flush=True)
