# Mistake: nobody looks ahead: the first and a smart player take the larger coin, a dumb one the smaller coin.

import sys


def collected(row, second_takes):
    left, right, gain = 0, len(row) - 1, 0
    for turn in range(len(row)):
        coin = (max if turn % 2 == 0 else second_takes)(row[left], row[right])
        if turn % 2 == 0:
            gain += coin
        if coin == row[left]:
            left += 1
        else:
            right -= 1
    return gain


numbers = iter(map(int, sys.stdin.read().split()))
for _ in range(next(numbers)):
    row = [next(numbers) for _ in range(next(numbers))]
    print(collected(row, min), collected(row, max))
