"""Takes all even or all odd places, whichever are worth more: a guarantee, not the best, and none on odd boards."""

import sys


def words():
    for line in sys.stdin:
        yield from line.split()


source = words()
n, side = int(next(source)), int(next(source))
row = [int(next(source)) for _ in range(n)]

places = list(range(n))
even = sum(row[::2])
odd = sum(row[1::2])
for turn in range(1, n + 1):
    if turn % 2 == side % 2:
        wanted = 0 if even >= odd else 1
        move = "L" if places[0] % 2 == wanted else "R"
        print(move, flush=True)
    else:
        move = next(source)
    places.pop(0 if move == "L" else -1)
