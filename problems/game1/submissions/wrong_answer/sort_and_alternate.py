# Mistake: the players take the largest number left in turn, as if every number could be reached.

with open("game1.in") as source:
    n, *board = map(int, source.read().split())

board.sort(reverse=True)

with open("game1.out", "w") as target:
    print(sum(board[0::2]), sum(board[1::2]), file=target)
