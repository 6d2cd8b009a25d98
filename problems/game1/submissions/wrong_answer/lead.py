# Mistake: writes by how much each player leads, not the scores.

with open("game1.in") as source:
    n, *board = map(int, source.read().split())

lead = list(board)
for length in range(2, n + 1):
    for i in range(n - length + 1):
        lead[i] = max(board[i] - lead[i + 1], board[i + length - 1] - lead[i])

with open("game1.out", "w") as target:
    print(lead[0], -lead[0], file=target)
