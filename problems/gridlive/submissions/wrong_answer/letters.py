# Mistake: letters in place of numbers.

import sys

n = int(sys.stdin.readline())
grid = [list(map(int, sys.stdin.readline().split())) for _ in range(n)]

from itertools import permutations


def total(columns):
    return sum(row[column] for row, column in zip(grid, columns))


columns = min(permutations(range(n)), key=total)
for _ in range(n):
    row = int(sys.stdin.readline()) - 1
    print("ABCDEFGH"[columns[row]], flush=True)
