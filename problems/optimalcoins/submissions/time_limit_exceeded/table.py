# Mistake: none but the language: a table of sums and one of results in Python.

import sys


def collected(row):
    n = len(row)
    total = [[0] * (n + 1) for _ in range(n + 1)]
    best = [[0] * (n + 1) for _ in range(n + 1)]
    for length in range(1, n + 1):
        for i in range(n - length + 1):
            j = i + length
            total[i][j] = total[i][j - 1] + row[j - 1]
            best[i][j] = total[i][j] - min(best[i + 1][j], best[i][j - 1])
    return best[0][n]


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    row = [next(numbers) for _ in range(next(numbers))]
    print(collected(row))
