# Mistake: each looks four moves ahead, and no further.

import sys


def lead(row, left, right, depth):
    """By how much the player to move leads after so many moves."""
    if left > right or depth == 0:
        return 0
    by_left = row[left] - lead(row, left + 1, right, depth - 1)
    by_right = row[right] - lead(row, left, right - 1, depth - 1)
    return max(by_left, by_right)


def collected(row):
    left, right, gains = 0, len(row) - 1, [0, 0]
    for turn in range(len(row)):
        by_left = row[left] - lead(row, left + 1, right, 3)
        by_right = row[right] - lead(row, left, right - 1, 3)
        if by_left >= by_right:
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
