# Mistake: none but the language: the table of the source in Python.

import sys


def collected(row):
    n = len(row)
    best = [[0] * (n + 1) for _ in range(n + 1)]
    for length in range(2, n + 1, 2):
        for i in range(n - length + 1):
            j = i + length
            inside = best[i + 1][j - 1]
            left = row[i] + min(inside, best[i + 2][j] if i + 2 <= n else 0)
            right = row[j - 1] + min(inside, best[i][j - 2])
            best[i][j] = max(left, right)
    return best[0][n]


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    row = [next(numbers) for _ in range(next(numbers))]
    print(collected(row))
