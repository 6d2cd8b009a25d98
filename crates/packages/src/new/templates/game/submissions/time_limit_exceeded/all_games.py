"""Exponential time: plays every game to its end."""

import sys

sys.setrecursionlimit(10000)
n, *row = map(int, open(0).read().split())


def lead(left, right):
    """By how much the player to move is ahead at the end, if the coins from left to right are left."""
    if left == right:
        return row[left]
    return max(row[left] - lead(left + 1, right), row[right] - lead(left, right - 1))


print((sum(row) + lead(0, n - 1)) // 2)
