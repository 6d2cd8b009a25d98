# Mistake: reads the rows line by line and starts one line too low, so that the last row is never there.

import sys


def total(grid):
    """The least total of one number from each row, no two from one column."""
    n = len(grid)
    best = {0: 0}  # columns taken from the rows so far -> their least total
    for row in grid:
        longer = {}
        for taken, so_far in best.items():
            for column in range(n):
                if not taken >> column & 1:
                    key = taken | 1 << column
                    longer[key] = min(longer.get(key, so_far + row[column]), so_far + row[column])
        best = longer
    return best[(1 << n) - 1]


lines = sys.stdin.read().splitlines()
line = 1
for _ in range(int(lines[0])):
    n = int(lines[line])
    grid = [list(map(int, lines[line + row + 2].split())) for row in range(n)]
    line += n + 1
    print(total(grid))
