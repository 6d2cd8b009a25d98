#!/usr/bin/env python3
"""Checks a row of a test group: longest.py MOST. No row of the group has more than MOST numbers."""

import re
import sys

NUMBER = rb"(?:0|-?[1-9]\d*)"

most = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
lines = re.fullmatch(rb"([1-9]\d*)\n(%b(?: %b)*)\n" % (NUMBER, NUMBER), sys.stdin.buffer.read())
if not lines:
    sys.exit(43)
row = [int(word) for word in lines[2].split()]
is_valid = int(lines[1]) == len(row) <= most and all(abs(number) <= 1000000 for number in row)
sys.exit(42 if is_valid else 43)
