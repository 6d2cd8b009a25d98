# Mistake: remembers the result of a position by its left end only, although the right end moves too.

with open("game1.in") as source:
    n, *board = map(int, source.read().split())

known = {}


def lead(left, right):
    """The lead of the player to move on board[left..right]."""
    if left > right:
        return 0
    if left not in known:
        known[left] = max(board[left] - lead(left + 1, right), board[right] - lead(left, right - 1))
    return known[left]


total = sum(board)
first = (total + lead(0, n - 1)) // 2

with open("game1.out", "w") as target:
    print(first, total - first, file=target)
