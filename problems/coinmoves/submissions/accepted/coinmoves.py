# The quadratic table of leads, row by row. Twice as fast as with `map` and `max`.

import sys


def leads(row):
    """By how much the player to move leads on every part of the row: of `length` from `i` at `[length][i]`."""
    table = [[0] * (len(row) + 1)]
    for length in range(1, len(row) + 1):
        shorter = table[-1]
        ends = zip(row, row[length - 1 :], shorter, shorter[1:])
        table.append([x if (x := a - by_left) > (y := b - by_right) else y for a, b, by_right, by_left in ends])
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
