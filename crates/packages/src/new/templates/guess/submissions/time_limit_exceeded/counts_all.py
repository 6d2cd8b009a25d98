"""Compares every possible guess with every possible number to find the guess that halves them."""

n = int(input())
possible = list(range(1, n + 1))
reply = ""


def unevenness(guess):
    smaller = sum(number < guess for number in possible)
    return abs(len(possible) - 2 * smaller - 1)


while reply != "right":
    best = min(possible, key=unevenness)
    print(best, flush=True)
    reply = input()
    possible = [number for number in possible if (number > best) == (reply == "higher") and number != best]
