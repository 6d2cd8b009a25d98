# Mistake: thinks that somebody always wins, and plays again until the scores differ. A tie is played for ever.

with open("game1.in") as source:
    n, *board = map(int, source.read().split())


def play():
    lead = list(board)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            lead[i] = max(board[i] - lead[i + 1], board[i + length - 1] - lead[i])
    first = (sum(board) + lead[0]) // 2
    return first, sum(board) - first


first, second = play()
while first == second:
    first, second = play()

with open("game1.out", "w") as target:
    print(first, second, file=target)
