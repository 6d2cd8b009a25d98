# Mistake: leaves out coins of value 0, as if they did not matter; but each takes a turn.

import sys


def collected(row):
    """What the player to move collects when both play for themselves, by folding peaks."""
    valley = []
    for value in row:
        valley.append(value)
        while len(valley) >= 3 and valley[-3] <= valley[-2] >= valley[-1]:
            z, y, x = valley.pop(), valley.pop(), valley.pop()
            valley.append(x - y + z)
    valley.sort(reverse=True)
    return (sum(row) + sum(valley[::2]) - sum(valley[1::2])) // 2


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    row = [next(numbers) for _ in range(next(numbers))]
    print(collected([value for value in row if value]))
