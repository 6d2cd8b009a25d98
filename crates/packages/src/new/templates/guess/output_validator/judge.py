#!/usr/bin/env python3
"""Answers the guesses of a submission: judge.py INPUT ANSWER FEEDBACK_DIR/

Exit code 42: it found the number. 43: it did not, and judgemessage.txt says why. Anything else: a fault here.
"""

import os
import sys

MOST = 20  # guesses


def main():
    with open(sys.argv[1]) as file:
        n, x = map(int, file.read().split())
    say(n)
    for number in range(1, MOST + 1):
        line = sys.stdin.buffer.readline()
        word = line.strip()
        if not word:
            reject(f"guess number {number} is missing")
        if not word.isdigit() or len(word) > 7 or not 1 <= int(word) <= n:
            reject(f"guess number {number} is not between 1 and {n}: {line!r}")
        guess = int(word)
        if guess == x:
            say("right")
            rest = sys.stdin.buffer.readline()
            if rest:
                reject(f"more after the right guess: {rest!r}")
            sys.exit(42)
        say("higher" if guess < x else "lower")
    reject(f"{x} was not among {MOST} guesses")


def say(line):
    # Through no buffer. Who has ended does not listen.
    try:
        os.write(1, f"{line}\n".encode())
    except BrokenPipeError:
        pass


def reject(why):
    with open(os.path.join(sys.argv[3], "judgemessage.txt"), "w") as file:
        file.write(why + "\n")
    sys.exit(43)


main()
