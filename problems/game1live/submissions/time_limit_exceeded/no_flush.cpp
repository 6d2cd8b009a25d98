// Right, but its moves lie in a buffer while it waits for the judge's.
#include <cstdio>
#include <algorithm>

int row[100], lead[101][101];

int main() {
    int n, side;
    if (scanf("%d %d", &n, &side) != 2) return 1;
    for (int k = 0; k < n; ++k)
        if (scanf("%d", &row[k]) != 1) return 1;
    for (int length = 1; length <= n; ++length)
        for (int i = 0; i + length <= n; ++i)
            lead[i][length] = std::max(row[i] - lead[i + 1][length - 1], row[i + length - 1] - lead[i][length - 1]);
    int i = 0;
    for (int length = n; length > 0; --length) {
        char move;
        if ((n - length) % 2 + 1 == side) {
            move = row[i] - lead[i + 1][length - 1] == lead[i][length] ? 'L' : 'R';
            printf("%c\n", move);
        } else if (scanf(" %c", &move) != 1) {
            return 1;
        }
        if (move == 'L') ++i;
    }
}
