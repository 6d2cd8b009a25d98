# Mistake: is sure that there is a second choice in every row, which a grid of one number does not have.

import sys


def total(grid):
    n = len(grid)
    runner_up = [sorted(row)[1] for row in grid]
    best = {0: 0}
    for row, second in zip(grid, runner_up):
        longer = {}
        for taken, so_far in best.items():
            for column in range(n):
                if not taken >> column & 1:
                    key = taken | 1 << column
                    longer[key] = min(longer.get(key, so_far + row[column]), so_far + row[column])
        best = longer
    return best[(1 << n) - 1]


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    n = next(numbers)
    grid = [[next(numbers) for _ in range(n)] for _ in range(n)]
    print(total(grid))
