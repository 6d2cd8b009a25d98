# Two mistakes: both players take the larger end, and an assertion says that whoever begins cannot lose.

with open("game1.in") as source:
    n, *board = map(int, source.read().split())

scores = [0, 0]
for turn in range(n):
    end = 0 if board[0] >= board[-1] else -1
    scores[turn % 2] += board.pop(end)

assert scores[0] >= scores[1]

with open("game1.out", "w") as target:
    print(*scores, file=target)
