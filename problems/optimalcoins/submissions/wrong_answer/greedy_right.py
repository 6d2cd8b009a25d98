# Mistake: both take the larger coin, the right one of two equal ones.

import sys


def collected(row):
    left, right, gains = 0, len(row) - 1, [0, 0]
    for turn in range(len(row)):
        if row[left] > row[right]:
            gains[turn % 2] += row[left]
            left += 1
        else:
            gains[turn % 2] += row[right]
            right -= 1
    return gains[0]


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    row = [next(numbers) for _ in range(next(numbers))]
    print(collected(row))
