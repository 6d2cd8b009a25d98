# Mistake: tries all diagonals that wrap around, falling and rising ones; enough for three rows, not for four.

import sys


def total(grid):
    n = len(grid)
    falling = (sum(grid[row][(shift + row) % n] for row in range(n)) for shift in range(n))
    rising = (sum(grid[row][(shift - row) % n] for row in range(n)) for shift in range(n))
    return min(min(falling), min(rising))


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    n = next(numbers)
    grid = [[next(numbers) for _ in range(n)] for _ in range(n)]
    print(total(grid))
