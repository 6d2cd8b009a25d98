#!/usr/bin/env python3
"""Judges a part of the row: check.py INPUT ANSWER FEEDBACK_DIR/ < OUTPUT

Exit code 42: no part has a larger sum. 43: it is wrong, and judgemessage.txt says why. Anything else: a fault here or
in the judge answer.
"""

import os
import sys


def main():
    with open(sys.argv[1]) as file:
        n, *row = map(int, file.read().split())
    with open(sys.argv[2], "rb") as file:
        best = part_sum(row, file.read())
    try:
        total = part_sum(row, sys.stdin.buffer.read())
        if total < best:
            raise ValueError(f"the sum is {total}, but {best} is possible")
    except ValueError as why:
        with open(os.path.join(sys.argv[3], "judgemessage.txt"), "w") as file:
            file.write(f"{why}\n")
        sys.exit(43)
    if total > best:
        sys.exit("the submission's part is better than the judge's")
    sys.exit(42)


def part_sum(row, output):
    words = output.split()
    if len(words) != 2:
        raise ValueError(f"expected two positions, got {len(words)} words")
    for word in words:
        if not word.isdigit() or len(word) > 5 or not 1 <= int(word) <= len(row):
            raise ValueError(f"not a position in the row: {word!r}")
    first, last = map(int, words)
    if first > last:
        raise ValueError("the first position is after the last one")
    return sum(row[first - 1 : last])


main()
