"""Takes the first number if no part has a sum above zero."""

n, *row = map(int, open(0).read().split())
here, start = 0, 1
best, first, last = 0, 1, 1
for end, value in enumerate(row, 1):
    if here < 0:
        here, start = 0, end
    here += value
    if here > best:
        best, first, last = here, start, end
print(first, last)
