# For every set of columns the least total of as many rows from the top; then the way back. Reads to the end of the input
# before it ends, which Alice's side must allow.

import sys

n = int(sys.stdin.readline())
grid = [list(map(int, sys.stdin.readline().split())) for _ in range(n)]

best = {0: (0, [])}
for row in grid:
    longer = {}
    for mask, (total, columns) in best.items():
        for column, value in enumerate(row):
            after = mask | 1 << column
            if after != mask and (after not in longer or total + value < longer[after][0]):
                longer[after] = (total + value, columns + [column])
    best = longer
columns = best[(1 << n) - 1][1]

for line in sys.stdin:
    print(columns[int(line) - 1] + 1, flush=True)
