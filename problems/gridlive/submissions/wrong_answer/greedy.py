"""Takes the smallest number that is left in the row."""

n = int(input())
grid = [list(map(int, input().split())) for _ in range(n)]
free = set(range(n))
for _ in range(n):
    row = grid[int(input()) - 1]
    column = min(free, key=lambda c: row[c])
    free.remove(column)
    print(column + 1, flush=True)
