# Mistake: the first player takes all even or all odd places, whichever are worth more, and the second the larger end.
# With an even number of coins that much is sure, but often more can be had.

import sys

n, *row = map(int, sys.stdin.read().split())
wanted = 0 if sum(row[::2]) >= sum(row[1::2]) else 1
i, j, total, word = 0, n, 0, ""
while i < j:
    if len(word) % 2 == 0:
        takes_left = i % 2 == wanted
        total += row[i] if takes_left else row[j - 1]
    else:
        takes_left = row[i] >= row[j - 1]
    word += "L" if takes_left else "R"
    i, j = (i + 1, j) if takes_left else (i, j - 1)
print(total, word)
