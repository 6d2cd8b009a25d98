# The quadratic table of leads, row by row with `map`.

import sys
from operator import sub


def leads(row):
    """By how much the player to move leads on every part of the row: of `length` from `i` at `[length][i]`."""
    table = [[0] * (len(row) + 1)]
    for length in range(1, len(row) + 1):
        shorter = table[-1]
        by_left = map(sub, row, shorter[1:])
        by_right = map(sub, row[length - 1 :], shorter)
        table.append(list(map(max, by_left, by_right)))
    return table


def moves(row, table):
    i, j, word = 0, len(row), ""
    while i < j:
        shorter = table[j - i - 1]
        if row[i] - shorter[i + 1] >= row[j - 1] - shorter[i]:
            word += "L"
            i += 1
        else:
            word += "R"
            j -= 1
    return word


n, *row = map(int, sys.stdin.read().split())
table = leads(row)
print((sum(row) + table[n][0]) // 2, moves(row, table))
