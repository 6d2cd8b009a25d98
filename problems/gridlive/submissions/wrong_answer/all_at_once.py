"""Prints all columns before the first row is named."""

from itertools import permutations

n = int(input())
grid = [list(map(int, input().split())) for _ in range(n)]
best = min(permutations(range(n)), key=lambda chosen: sum(map(list.__getitem__, grid, chosen)))
print(*(column + 1 for column in best), sep="\n", flush=True)
