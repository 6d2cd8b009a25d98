"""Answers from the first row to the last, whatever row was crossed out."""

from itertools import permutations

n = int(input())
grid = [list(map(int, input().split())) for _ in range(n)]
best = min(permutations(range(n)), key=lambda chosen: sum(map(list.__getitem__, grid, chosen)))
for column in best:
    input()
    print(column + 1, flush=True)
