"""Wants to know all rows before it names a column."""

import sys

n = int(input())
grid = [list(map(int, input().split())) for _ in range(n)]
for line in sys.stdin:
    # It wants all rows before it begins.
    pass
