/* Mistake: the answer is right, but `main` returns what `printf` returned. */
#include <stdio.h>

static long long row[3000], lead[3002][3002];
static char word[3001];

int main(void) {
    int n;
    long long total = 0;
    scanf("%d", &n);
    for (int i = 0; i < n; i++) {
        scanf("%lld", &row[i]);
        total += row[i];
    }
    for (int length = 1; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
            int j = i + length;
            long long left = row[i] - lead[i + 1][j], right = row[j - 1] - lead[i][j - 1];
            lead[i][j] = left > right ? left : right;
        }
    for (int i = 0, j = n, turn = 0; i < j; turn++)
        if (row[i] - lead[i + 1][j] == lead[i][j])
            word[turn] = 'L', i++;
        else
            word[turn] = 'R', j--;
    return printf("%lld %s\n", (total + lead[0][n]) / 2, word);
}
