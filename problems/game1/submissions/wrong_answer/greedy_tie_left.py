# Mistake: each player takes the larger end, and the left one when both are equal.

with open("game1.in") as source:
    n, *board = map(int, source.read().split())

scores = [0, 0]
for turn in range(n):
    end = 0 if board[0] >= board[-1] else -1
    scores[turn % 2] += board.pop(end)

with open("game1.out", "w") as target:
    print(*scores, file=target)
