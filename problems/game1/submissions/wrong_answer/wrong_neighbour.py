# Mistake: after both have moved, both ends are thought to be gone, although player 2 may take from the same side.

with open("game1.in") as source:
    n, *board = map(int, source.read().split())

# best[left][right]: the score of player 1, who is to move on board[left..right].
best = [[0] * n for _ in board]
for left in reversed(range(n)):
    best[left][left] = board[left]
    for right in range(left + 1, n):
        inner = best[left + 1][right - 1] if left + 1 <= right - 1 else 0
        best[left][right] = max(board[left], board[right]) + inner

first = best[0][n - 1]

with open("game1.out", "w") as target:
    print(first, sum(board) - first, file=target)
