"""Right, but nothing is flushed before the end."""

import sys
from itertools import permutations

n = int(input())
grid = [list(map(int, input().split())) for _ in range(n)]
best = min(permutations(range(n)), key=lambda chosen: sum(map(list.__getitem__, grid, chosen)))
for _ in range(n):
    print(best[int(sys.stdin.readline()) - 1] + 1)
