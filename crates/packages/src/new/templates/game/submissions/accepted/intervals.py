"""Quadratic time: by how much the player to move is ahead at the end, for every interval of the row."""

n, *row = map(int, open(0).read().split())

# lead[start] is for the interval of the present length that begins there.
lead = row
for length in range(2, n + 1):
    ends = zip(row, lead[1:], row[length - 1:], lead)
    lead = [max(left - after, right - before) for left, after, right, before in ends]
print((sum(row) + lead[0]) // 2)
