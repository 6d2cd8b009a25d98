"""Cubic time: adds up every part of the row from scratch."""

n, *row = map(int, open(0).read().split())
best = max(sum(row[start:end]) for start in range(n) for end in range(start + 1, n + 1))
print(best)
