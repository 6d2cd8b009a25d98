"""Checks one input of gridlive on standard input, byte for byte.

Exit code 42: valid. Exit code 43: invalid, and standard error says why. `validate.rs` is its twin in Rust.
"""

import re
import sys

NUMBER = re.compile(rb"-?[1-9][0-9]{0,8}|0")


def refuse(message):
    print(message, file=sys.stderr)
    sys.exit(43)


def numbers(number, line, count, low, high):
    words = line.split(b" ")
    if len(words) != count:
        refuse(f"line {number}: {len(words)} words instead of {count}")
    for word in words:
        if not NUMBER.fullmatch(word):
            refuse(f"line {number}: not a plain number: {word!r}")
        if not low <= int(word) <= high:
            refuse(f"line {number}: {int(word)} is not from {low} to {high}")
    return [int(word) for word in words]


text = sys.stdin.buffer.read()
if not text.endswith(b"\n"):
    refuse("the last line has no line end")
lines = text[:-1].split(b"\n")
(n,) = numbers(1, lines[0], 1, 1, 8)
if len(lines) != n + 2:
    refuse(f"{len(lines)} lines instead of {n + 2}")
for number in range(2, n + 2):
    numbers(number, lines[number - 1], n, -1000, 1000)
order = numbers(n + 2, lines[n + 1], n, 1, n)
if len(set(order)) != n:
    refuse(f"line {n + 2}: a row stands there twice")
sys.exit(42)
