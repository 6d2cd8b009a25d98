"""Takes the end that leaves the opponent the smallest larger number."""

import sys


def words():
    for line in sys.stdin:
        yield from line.split()


source = words()
n, side = int(next(source)), int(next(source))
row = [int(next(source)) for _ in range(n)]


def gain(value, rest):
    return value - max(rest[0], rest[-1]) if rest else value


for turn in range(1, n + 1):
    if turn % 2 == side % 2:
        left, right = gain(row[0], row[1:]), gain(row[-1], row[:-1])
        move = "L" if left >= right else "R"
        print(move, flush=True)
    else:
        move = next(source)
    row.pop(0 if move == "L" else -1)
