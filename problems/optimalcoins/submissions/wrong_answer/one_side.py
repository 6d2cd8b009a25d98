# Mistake: takes one half of the row for yours, from the left or from the right.

import sys


def collected(row):
    half = len(row) // 2
    return max(sum(row[:half]), sum(row[half:]))


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    row = [next(numbers) for _ in range(next(numbers))]
    print(collected(row))
