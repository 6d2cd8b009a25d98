# Mistake: the recursion does not stop at the empty board.

with open("game1.in") as source:
    n, *board = map(int, source.read().split())


def lead(left, right):
    """The lead of the player to move on board[left..right]."""
    return max(board[left] - lead(left + 1, right), board[right] - lead(left, right - 1))


first = (sum(board) + lead(0, n - 1)) // 2

with open("game1.out", "w") as target:
    print(first, sum(board) - first, file=target)
