"""Takes the smallest number of each row, also in a column that is crossed out."""

n = int(input())
grid = [list(map(int, input().split())) for _ in range(n)]
for _ in range(n):
    row = grid[int(input()) - 1]
    print(row.index(min(row)) + 1, flush=True)
