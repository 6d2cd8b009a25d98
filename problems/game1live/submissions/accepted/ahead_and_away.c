/* Right in an unusual way: blanks before and behind its moves, and it neither reads the judge's last move nor waits for it. */
#include <stdio.h>

static int row[100], lead[101][101];

int main(void) {
    int n, side;
    if (scanf("%d %d", &n, &side) != 2) return 1;
    for (int k = 0; k < n; k++)
        if (scanf("%d", &row[k]) != 1) return 1;
    for (int length = 1; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
            int left = row[i] - lead[i + 1][length - 1];
            int right = row[i + length - 1] - lead[i][length - 1];
            lead[i][length] = left > right ? left : right;
        }
    int i = 0, length = n;
    while (length > 0) {
        int mine = (n - length) % 2 + 1 == side;
        char move = 'L';
        if (mine) {
            if (row[i] - lead[i + 1][length - 1] != lead[i][length]) move = 'R';
            printf("\n \t%c \n", move);
            fflush(stdout);
        } else if (length == 1) {
            return 0; /* There is nothing left to decide. */
        } else if (scanf(" %c", &move) != 1) {
            return 1;
        }
        if (move == 'L') i++;
        length--;
    }
    return 0;
}
