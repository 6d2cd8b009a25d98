"""Linear time: a part begins anew after a sum below zero."""

n, *row = map(int, open(0).read().split())
here, start = 0, 1
best = first = last = None
for end, value in enumerate(row, 1):
    if here < 0:
        here, start = 0, end
    here += value
    if best is None or here > best:
        best, first, last = here, start, end
print(first, last)
