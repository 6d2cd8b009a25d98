# Mistake: recursion as deep as the row is long; Python allows a depth of 1000.

import sys
from functools import cache

n, *row = map(int, sys.stdin.read().split())


@cache
def lead(i, j):
    """By how much the player to move leads on the coins from i up to j."""
    if i == j:
        return 0
    return max(row[i] - lead(i + 1, j), row[j - 1] - lead(i, j - 1))


total = (sum(row) + lead(0, n)) // 2
i, j, word = 0, n, ""
while i < j:
    if row[i] - lead(i + 1, j) >= row[j - 1] - lead(i, j - 1):
        word += "L"
        i += 1
    else:
        word += "R"
        j -= 1
print(total, word)
