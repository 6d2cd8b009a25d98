"""Right, and then it counts the moves with two digits, and never arrives at a hundred."""

import sys
from functools import lru_cache

sys.setrecursionlimit(10_000)


def words():
    for line in sys.stdin:
        yield from line.split()


source = words()
n, side = int(next(source)), int(next(source))
row = [int(next(source)) for _ in range(n)]


@lru_cache(maxsize=None)
def lead(i, j):
    """By how much whoever is to move on row[i:j] ends ahead."""
    if i == j:
        return 0
    return max(row[i] - lead(i + 1, j), row[j - 1] - lead(i, j - 1))


i, j = 0, n
for turn in range(1, n + 1):
    if turn % 2 == side % 2:
        move = "L" if row[i] - lead(i + 1, j) == lead(i, j) else "R"
        print(move, flush=True)
    else:
        move = next(source)
    if move == "L":
        i += 1
    else:
        j -= 1

count = 0
while count != n:
    count = (count + 1) % 100
