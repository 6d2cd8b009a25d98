# Mistake: does not know of T: takes it for the length of a row, and what follows for its coins.

import sys
from operator import add


def dumb(row):
    """What the first player collects when both play for the first."""
    n = len(row)
    best = row if n % 2 == 1 else [0] * n
    for length in range(2, n + 1):
        if (n - length) % 2 == 1:
            best = list(map(max, best, best[1:]))
        else:
            best = list(map(max, map(add, row, best[1:]), map(add, row[length - 1 :], best)))
    return best[0]


def smart(row):
    """What the player to move collects when both play for themselves, by folding peaks."""
    valley = []
    for value in row:
        valley.append(value)
        while len(valley) >= 3 and valley[-3] <= valley[-2] >= valley[-1]:
            z, y, x = valley.pop(), valley.pop(), valley.pop()
            valley.append(x - y + z)
    valley.sort(reverse=True)
    return (sum(row) + sum(valley[::2]) - sum(valley[1::2])) // 2


numbers = list(map(int, sys.stdin.read().split()))
row = numbers[1 : 1 + numbers[0]]
print(dumb(row), smart(row))
