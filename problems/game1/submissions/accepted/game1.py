"""The quadratic table, one row after the other."""

with open("game1.in") as source:
    n, *board = map(int, source.read().split())

# best[right]: the best score of the player to move on board[left..right], for the current left.
best = [0] * n
for left in reversed(range(n)):
    total = best[left] = board[left]
    for right in range(left + 1, n):
        total += board[right]
        best[right] = total - min(best[right], best[right - 1])

with open("game1.out", "w") as target:
    print(best[-1], sum(board) - best[-1], file=target)
