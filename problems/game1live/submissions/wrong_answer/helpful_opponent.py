"""Expects the opponent to help: both ends are compared as if all moves were its own choice."""

import sys


def words():
    for line in sys.stdin:
        yield from line.split()


source = words()
n, side = int(next(source)), int(next(source))
row = [int(next(source)) for _ in range(n)]

best = [[0] * (n + 1) for _ in range(n + 1)]
for length in range(1, n + 1):
    for i in range(n - length + 1):
        j = i + length
        mine = (n - length) % 2 + 1 == side
        left, right = best[i + 1][j], best[i][j - 1]
        best[i][j] = max(row[i] * mine + left, row[j - 1] * mine + right)
i, j = 0, n
for turn in range(1, n + 1):
    if turn % 2 == side % 2:
        left, right = row[i] + best[i + 1][j], row[j - 1] + best[i][j - 1]
        move = "L" if left >= right else "R"
        print(move, flush=True)
    else:
        move = next(source)
    if move == "L":
        i += 1
    else:
        j -= 1
