"""Cubic time: adds up every part of the row from scratch."""

n, *row = map(int, open(0).read().split())
parts = ((start, end) for start in range(n) for end in range(start + 1, n + 1))
start, end = max(parts, key=lambda part: sum(row[part[0] : part[1]]))
print(start + 1, end)
