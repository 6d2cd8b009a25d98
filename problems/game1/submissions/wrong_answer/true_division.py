# Mistake: divides with `/`, which writes `18.0` for 18.

with open("game1.in") as source:
    n, *board = map(int, source.read().split())

lead = list(board)
for length in range(2, n + 1):
    for i in range(n - length + 1):
        lead[i] = max(board[i] - lead[i + 1], board[i + length - 1] - lead[i])

total = sum(board)

with open("game1.out", "w") as target:
    print((total + lead[0]) / 2, (total - lead[0]) / 2, file=target)
