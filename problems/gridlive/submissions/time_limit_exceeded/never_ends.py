"""Right, and then it waits for somebody to stop it."""

from itertools import permutations

n = int(input())
grid = [list(map(int, input().split())) for _ in range(n)]
best = min(permutations(range(n)), key=lambda chosen: sum(map(list.__getitem__, grid, chosen)))
for _ in range(n):
    print(best[int(input()) - 1] + 1, flush=True)
while n == 7:
    pass
