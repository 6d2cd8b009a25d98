# Mistake: you get all even or all odd places, whichever are worth more. That much is sure, but often more can be had.

import sys


def collected(row):
    return max(sum(row[::2]), sum(row[1::2]))


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    row = [next(numbers) for _ in range(next(numbers))]
    print(collected(row))
