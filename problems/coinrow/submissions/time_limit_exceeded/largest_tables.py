# Mistake: tables for 2000 coins are made for every row, however short it is; a hundred rows of one coin take longer
# than the longest ones.

import sys
from operator import add, sub


SIZE = 2001


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    n = next(numbers)
    row = [next(numbers) for _ in range(n)]
    # Of `length` coins from `i` at `[length][i]`: what the first player collects of a dumb one, and by how much the
    # player to move is ahead of a smart one.
    dumb = [[0] * SIZE for _ in range(SIZE)]
    lead = [[0] * SIZE for _ in range(SIZE)]
    lead[1][:n] = row
    if n % 2 == 1:
        dumb[1][:n] = row
    for length in range(2, n + 1):
        last = row[length - 1 :]
        by_right = lead[length - 1][: n - length + 2]
        by_left = by_right[1:]
        lead[length][: n - length + 1] = map(max, map(sub, row, by_left), map(sub, last, by_right))
        by_right = dumb[length - 1][: n - length + 2]
        by_left = by_right[1:]
        if (n - length) % 2 == 0:
            by_left, by_right = map(add, row, by_left), map(add, last, by_right)
        dumb[length][: n - length + 1] = map(max, by_left, by_right)
    print(dumb[n][0], (sum(row) + lead[n][0]) // 2)
