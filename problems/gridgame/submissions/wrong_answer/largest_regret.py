# Mistake: takes the row where the second choice costs most compared with the first, a good guess that is not always
# best.

import sys


def total(grid):
    rows, free, sum_of_all = list(grid), set(range(len(grid))), 0
    while rows:
        def regret(row):
            left = sorted(row[column] for column in free)
            return left[1] - left[0] if len(left) > 1 else 0

        row = max(rows, key=regret)
        column = min(free, key=lambda column: row[column])
        sum_of_all += row[column]
        rows.remove(row)
        free.remove(column)
    return sum_of_all


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    n = next(numbers)
    grid = [[next(numbers) for _ in range(n)] for _ in range(n)]
    print(total(grid))
