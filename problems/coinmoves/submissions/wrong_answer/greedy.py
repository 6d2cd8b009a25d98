# Mistake: both players take the larger end.

import sys


def greedy(row):
    i, j, totals, word = 0, len(row), [0, 0], ""
    while i < j:
        if row[i] >= row[j - 1]:
            totals[len(word) % 2] += row[i]
            word += "L"
            i += 1
        else:
            totals[len(word) % 2] += row[j - 1]
            word += "R"
            j -= 1
    return totals[0], word


n, *row = map(int, sys.stdin.read().split())
print(*greedy(row))
