# Mistake: tables for 2000 coins are made for every row, however short it is; a hundred rows of one coin take as long
# as the longest ones.

import sys


SIZE = 2001


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    n = next(numbers)
    dumb = [[0] * SIZE for _ in range(SIZE)]
    smart = [[0] * SIZE for _ in range(SIZE)]
    total = [[0] * SIZE for _ in range(SIZE)]
    for i in range(n):
        total[i][i] = dumb[i][i] = smart[i][i] = next(numbers)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            total[i][j] = total[i][j - 1] + total[j][j]
            smart[i][j] = total[i][j] - min(smart[i + 1][j], smart[i][j - 1])
            pick = min if (n - length) % 2 == 0 else max
            dumb[i][j] = total[i][j] - pick(dumb[i + 1][j], dumb[i][j - 1])
    print(dumb[0][n - 1], smart[0][n - 1])
