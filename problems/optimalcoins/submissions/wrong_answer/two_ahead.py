# Mistake: each looks at the coin taken and the one that the other takes next, and no further.

import sys


def collected(row):
    left, right, gains = 0, len(row) - 1, [0, 0]
    for turn in range(len(row)):
        if left == right:
            break
        by_left = row[left] - max(row[left + 1], row[right])
        by_right = row[right] - max(row[left], row[right - 1])
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
