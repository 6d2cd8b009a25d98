# Mistake: each player looks only two moves ahead: what they take, less the best that the other can take next.

with open("game1.in") as source:
    n, *board = map(int, source.read().split())


def gain(taken, rest):
    return taken - (max(rest[0], rest[-1]) if rest else 0)


scores = [0, 0]
for turn in range(n):
    left = gain(board[0], board[1:])
    right = gain(board[-1], board[:-1])
    scores[turn % 2] += board.pop(0 if left >= right else -1)

with open("game1.out", "w") as target:
    print(*scores, file=target)
