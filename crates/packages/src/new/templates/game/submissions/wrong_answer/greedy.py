"""Both players always take the larger coin."""

n, *row = map(int, open(0).read().split())
left, right = 0, n - 1
totals = [0, 0]
for turn in range(n):
    if row[left] > row[right]:
        totals[turn % 2] += row[left]
        left += 1
    else:
        totals[turn % 2] += row[right]
        right -= 1
print(totals[0])
