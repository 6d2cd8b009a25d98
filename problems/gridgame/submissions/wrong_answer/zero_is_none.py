# Mistake: takes a total of 0 for "nothing found yet".

import sys


def total(grid):
    n = len(grid)
    best = [None] * (1 << n)
    best[0] = 0
    for taken in range(1, 1 << n):
        row = grid[taken.bit_count() - 1]
        for column in range(n):
            if taken >> column & 1:
                so_far = best[taken ^ 1 << column] + row[column]
                if not best[taken] or so_far < best[taken]:
                    best[taken] = so_far
    return best[-1]


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    n = next(numbers)
    grid = [[next(numbers) for _ in range(n)] for _ in range(n)]
    print(total(grid))
