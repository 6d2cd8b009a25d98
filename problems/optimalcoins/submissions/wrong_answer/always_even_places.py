# Mistake: you get the first, third, fifth coin and so on.

import sys


def collected(row):
    return sum(row[::2])


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    row = [next(numbers) for _ in range(next(numbers))]
    print(collected(row))
