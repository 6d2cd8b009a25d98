# Mistake: reads one line of numbers and then indexes up to N; on a board of several lines that is out of range.

with open("game1.in") as source:
    n = int(source.readline())
    board = list(map(int, source.readline().split()))

lead = [board[i] for i in range(n)]
for length in range(2, n + 1):
    for i in range(n - length + 1):
        lead[i] = max(board[i] - lead[i + 1], board[i + length - 1] - lead[i])

first = (sum(board) + lead[0]) // 2

with open("game1.out", "w") as target:
    print(first, sum(board) - first, file=target)
