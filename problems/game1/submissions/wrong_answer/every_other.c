/* Mistake: the players take the numbers from left to right in turn. */
#include <stdio.h>

int main(void) {
    FILE *in = fopen("game1.in", "r");
    FILE *out = fopen("game1.out", "w");
    int n, value, scores[2] = {0, 0};
    if (!in || !out || fscanf(in, "%d", &n) != 1) {
        return 1;
    }
    for (int i = 0; i < n; i++) {
        if (fscanf(in, "%d", &value) != 1) {
            return 1;
        }
        scores[i % 2] += value;
    }
    fprintf(out, "%d %d\n", scores[0], scores[1]);
    return 0;
}
