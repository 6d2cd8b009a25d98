/* Keeps leads in signed bytes: fine while the numbers are small. */
#include <stdio.h>

static signed char row[100], lead[101][101];

int main(void) {
    int n, side, value;
    if (scanf("%d %d", &n, &side) != 2) return 1;
    for (int k = 0; k < n; k++) {
        if (scanf("%d", &value) != 1) return 1;
        row[k] = (signed char)value;
    }
    for (int length = 1; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
            signed char left = (signed char)(row[i] - lead[i + 1][length - 1]);
            signed char right = (signed char)(row[i + length - 1] - lead[i][length - 1]);
            lead[i][length] = left > right ? left : right;
        }
    int i = 0;
    for (int length = n; length > 0; length--) {
        char move = 'L';
        if ((n - length) % 2 + 1 == side) {
            signed char left = (signed char)(row[i] - lead[i + 1][length - 1]);
            if (left != lead[i][length]) move = 'R';
            printf("%c\n", move);
            fflush(stdout);
        } else if (scanf(" %c", &move) != 1) {
            return 1;
        }
        if (move == 'L') i++;
    }
    return 0;
}
