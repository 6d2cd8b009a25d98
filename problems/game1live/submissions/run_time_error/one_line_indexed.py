"""Expects N numbers on the second line."""

n, side = map(int, input().split())
line = input().split()
row = [int(line[k]) for k in range(n)]
lead = [[0] * (n + 1) for _ in range(n + 1)]
for length in range(1, n + 1):
    for i in range(n - length + 1):
        j = i + length
        lead[i][j] = max(row[i] - lead[i + 1][j], row[j - 1] - lead[i][j - 1])
i, j = 0, n
for turn in range(1, n + 1):
    if turn % 2 == side % 2:
        move = "L" if row[i] - lead[i + 1][j] == lead[i][j] else "R"
        print(move, flush=True)
    else:
        move = input()
    if move == "L":
        i += 1
    else:
        j -= 1
