# Mistake: reads one line of numbers, although the board may be spread over many.

with open("game1.in") as source:
    source.readline()
    board = list(map(int, source.readline().split()))

n = len(board)
lead = list(board)
for length in range(2, n + 1):
    for i in range(n - length + 1):
        lead[i] = max(board[i] - lead[i + 1], board[i + length - 1] - lead[i])

first = (sum(board) + lead[0]) // 2

with open("game1.out", "w") as target:
    print(first, sum(board) - first, file=target)
