# Mistake: is sure that N is even, and says so with an assertion.

with open("game1.in") as source:
    n, *board = map(int, source.read().split())

assert n % 2 == 0

lead = list(board)
for length in range(2, n + 1):
    for i in range(n - length + 1):
        lead[i] = max(board[i] - lead[i + 1], board[i + length - 1] - lead[i])

first = (sum(board) + lead[0]) // 2

with open("game1.out", "w") as target:
    print(first, sum(board) - first, file=target)
