"""Checks one input of game1live on standard input, byte for byte.

Exit code 42: valid. Exit code 43: invalid, and standard error says why. `validate.rs` is its twin in Rust.
"""

import re
import sys

NUMBER = rb"(?:0|[1-9][0-9]{0,18})"
FIRST = re.compile(rb"(" + NUMBER + rb") (" + NUMBER + rb")\n")
VALUES = re.compile(rb"(" + NUMBER + rb"(?: " + NUMBER + rb")*)\n")
OPPONENT = re.compile(
    rb"(?:(?:optimal|greedy)-(?:left|right)|(?:random|careless) (" + NUMBER + rb"))\n"
)


def refuse(message):
    print(message, file=sys.stderr)
    sys.exit(43)


def within(name, text, low, high):
    value = int(text)
    if not low <= value <= high:
        refuse(f"{name} is {value}, which is not from {low} to {high}")
    return value


text = sys.stdin.buffer.read()
first = FIRST.match(text)
if not first:
    refuse("line 1 is not `N side`")
n = within("N", first[1], 2, 100)
within("the side", first[2], 1, 2)
at = first.end()
count = 0
while count < n:
    line = VALUES.match(text, at)
    if not line:
        refuse(f"at byte {at}: not a line of numbers, after {count} of {n}")
    words = line[1].split(b" ")
    for word in words:
        count += 1
        within(f"value {count}", word, 1, 200)
    at = line.end()
if count > n:
    refuse(f"{count} values instead of {n}")
opponent = OPPONENT.match(text, at)
if not opponent:
    refuse(f"at byte {at}: not a line that names an opponent")
if opponent[1]:
    within("the opponent's seed", opponent[1], 0, 2**31 - 1)
if opponent.end() != len(text):
    refuse(f"at byte {opponent.end()}: more than the opponent")
sys.exit(42)
