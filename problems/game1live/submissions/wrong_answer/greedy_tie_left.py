"""Takes the larger number; of two equal ones the left."""

import sys


def words():
    for line in sys.stdin:
        yield from line.split()


source = words()
n, side = int(next(source)), int(next(source))
row = [int(next(source)) for _ in range(n)]

for turn in range(1, n + 1):
    if turn % 2 == side % 2:
        move = "L" if row[0] >= row[-1] else "R"
        print(move, flush=True)
    else:
        move = next(source)
    row.pop(0 if move == "L" else -1)
