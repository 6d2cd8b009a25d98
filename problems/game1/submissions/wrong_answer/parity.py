# Mistake: player 1 gets all the even or all the odd places, whichever is more. On an even board that much is sure,
# but often more can be had; on an odd board it is not even sure.

with open("game1.in") as source:
    n, *board = map(int, source.read().split())

first = max(sum(board[0::2]), sum(board[1::2]))

with open("game1.out", "w") as target:
    print(first, sum(board) - first, file=target)
