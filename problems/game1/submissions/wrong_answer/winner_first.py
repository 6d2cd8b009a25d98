# Mistake: prints the higher score first, as if whoever begins could not lose.

with open("game1.in") as source:
    n, *board = map(int, source.read().split())

lead = list(board)
for length in range(2, n + 1):
    for i in range(n - length + 1):
        lead[i] = max(board[i] - lead[i + 1], board[i + length - 1] - lead[i])

more = (sum(board) + abs(lead[0])) // 2

with open("game1.out", "w") as target:
    print(more, sum(board) - more, file=target)
