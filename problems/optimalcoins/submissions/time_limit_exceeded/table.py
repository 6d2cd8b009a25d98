# Mistake: the coins of each part are added up anew, one by one, which makes it cubic.

import sys


def collected(row):
    n = len(row)
    best = [[0] * (n + 1) for _ in range(n + 1)]
    for length in range(1, n + 1):
        for i in range(n - length + 1):
            j = i + length
            total = sum(row[k] for k in range(i, j))
            best[i][j] = total - min(best[i + 1][j], best[i][j - 1])
    return best[0][n]


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    row = [next(numbers) for _ in range(next(numbers))]
    print(collected(row))
