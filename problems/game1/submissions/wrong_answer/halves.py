# Mistake: expects good players to share alike, with the odd point for player 1.

with open("game1.in") as source:
    n, *board = map(int, source.read().split())

second = sum(board) // 2

with open("game1.out", "w") as target:
    print(sum(board) - second, second, file=target)
