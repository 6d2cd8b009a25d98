/* One row, updated in place: lead[i] is the lead of the player to move on the stretch that starts at i. */
#include <stdio.h>

int main(void) {
    FILE *in = fopen("game1.in", "r");
    FILE *out = fopen("game1.out", "w");
    int board[100], lead[100];
    int n, total = 0;
    if (!in || !out || fscanf(in, "%d", &n) != 1) {
        return 1;
    }
    for (int i = 0; i < n; i++) {
        if (fscanf(in, "%d", &board[i]) != 1) {
            return 1;
        }
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
    return fclose(out) != 0;
}
