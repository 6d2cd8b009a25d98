# Mistake: looks at the next row only, as if Alice had to cross out the rows from top to bottom.

import sys

n = int(sys.stdin.readline())
grid = [list(map(int, sys.stdin.readline().split())) for _ in range(n)]

free = set(range(n))
left = list(range(n))
for _ in range(n):
    row = int(sys.stdin.readline()) - 1
    left.remove(row)

    def pair(column):
        rest = [grid[left[0]][other] for other in free if other != column] if left else [0]
        return grid[row][column] + min(rest)

    column = min(free, key=pair)
    free.remove(column)
    print(column + 1, flush=True)
