/* Mistake: keeps the numbers in signed bytes; those above 127 become negative. */
#include <stdio.h>

int main(void) {
    FILE *in = fopen("game1.in", "r");
    FILE *out = fopen("game1.out", "w");
    signed char board[100];
    int lead[100];
    int n, value, total = 0;
    if (!in || !out || fscanf(in, "%d", &n) != 1) {
        return 1;
    }
    for (int i = 0; i < n; i++) {
        if (fscanf(in, "%d", &value) != 1) {
            return 1;
        }
        board[i] = (signed char)value;
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
