"""Makes a move after the last one, because it counts half of the row rounded up as its own, whichever side it has."""

import sys


def words():
    for line in sys.stdin:
        yield from line.split()


source = words()
n, side = int(next(source)), int(next(source))
row = [int(next(source)) for _ in range(n)]

lead = [[0] * (n + 1) for _ in range(n + 1)]
for length in range(1, n + 1):
    for i in range(n - length + 1):
        j = i + length
        lead[i][j] = max(row[i] - lead[i + 1][j], row[j - 1] - lead[i][j - 1])
i, j = 0, n


def take(move):
    global i, j
    if move == "L":
        i += 1
    else:
        j -= 1


if side == 2:
    take(next(source))
for _ in range((n + 1) // 2):
    move = "R" if i < j and row[i] - lead[i + 1][j] != lead[i][j] else "L"
    print(move, flush=True)
    take(move)
    if i < j:
        take(next(source))
