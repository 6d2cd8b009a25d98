# Mistake: for every row, tables for 2000 coins are made for it and once more for each row before it, however short they
# are; a hundred rows of one coin take longer than the longest ones.

import sys


SIZE = 2001
# For so many lengths results are kept, though one would do.
KEPT = 400


def dumb(row, tables):
    """What the first player collects when both play for the first."""
    n = len(row)
    row = [float(value) for value in row]
    best = tables[0]
    best[:n] = row if n % 2 == 1 else [0.0] * n
    for length in range(2, n + 1):
        shorter = best[: n - length + 2]
        best = tables[length % KEPT]
        if (n - length) % 2 == 1:
            best[: n - length + 1] = [x if x > y else y for x, y in zip(shorter, shorter[1:])]
        else:
            ends = zip(row, row[length - 1 :], shorter, shorter[1:])
            best[: n - length + 1] = [
                x if (x := a + by_left) > (y := b + by_right) else y for a, b, by_right, by_left in ends
            ]
    return int(best[0])


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


numbers = iter(map(int, sys.stdin.read().split()))
for number in range(next(numbers)):
    row = [next(numbers) for _ in range(next(numbers))]
    for _ in range(number + 1):
        tables = [[0.0] * SIZE for _ in range(KEPT)]
    print(dumb(row, tables), smart(row))
