# Mistake: lets Bob be greedy in every order of the rows and takes the lowest total, which is right; but stops after
# 120 orders, so that six rows are not tried out.

import sys
from itertools import islice, permutations


def total(grid):
    totals = []
    for order in islice(permutations(grid), 120):
        free = list(range(len(grid)))
        sum_of_all = 0
        for row in order:
            column = min(free, key=lambda column: row[column])
            sum_of_all += row[column]
            free.remove(column)
        totals.append(sum_of_all)
    return min(totals)


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    n = next(numbers)
    grid = [[next(numbers) for _ in range(n)] for _ in range(n)]
    print(total(grid))
