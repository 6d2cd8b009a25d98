/* Mistake: opens a file that is not there and reads from the null pointer that it gets for it. */
#include <stdio.h>

int main(void) {
    FILE *in = fopen("game.in", "r");
    FILE *out = fopen("game1.out", "w");
    int board[100], lead[100];
    int n, total = 0;
    fscanf(in, "%d", &n);
    for (int i = 0; i < n; i++) {
        fscanf(in, "%d", &board[i]);
        lead[i] = board[i];
        total += board[i];
    }
    for (int length = 2; length <= n; length++) {
        for (int i = 0; i + length <= n; i++) {
            int left = board[i] - lead[i + 1];
            int right = board[i + length - 1] - lead[i];
            lead[i] = left > right ? left : right;
        }
    }
    fprintf(out, "%d %d\n", (total + lead[0]) / 2, (total - lead[0]) / 2);
    return 0;
}
