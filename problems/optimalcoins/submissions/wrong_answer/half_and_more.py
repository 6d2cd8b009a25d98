# Mistake: with an even row nobody wins by more than a coin, so you get half of all, rounded up.

import sys


def collected(row):
    return (sum(row) + 1) // 2


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    row = [next(numbers) for _ in range(next(numbers))]
    print(collected(row))
