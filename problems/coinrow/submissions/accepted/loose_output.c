/* Right, with an output that only the layout tells from others: tabs, empty lines, Windows line ends, no last line
   end. */
#include <stdio.h>

static long long row[2000], best[2001];

static long long larger(long long a, long long b) { return a > b ? a : b; }

/* By how much the player to move leads in the end, or what the first player collects. */
static long long play(int n, int dumb) {
    for (int length = 1; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
            long long left = length == 1 ? 0 : best[i + 1], right = length == 1 ? 0 : best[i];
            if (!dumb)
                best[i] = larger(row[i] - left, row[i + length - 1] - right);
            else if ((n - length) % 2 == 0)
                best[i] = larger(row[i] + left, row[i + length - 1] + right);
            else
                best[i] = larger(left, right);
        }
    return best[0];
}

int main(void) {
    int rows, n;
    scanf("%d", &rows);
    for (int r = 0; r < rows; r++) {
        long long total = 0;
        scanf("%d", &n);
        for (int i = 0; i < n; i++) {
            scanf("%lld", &row[i]);
            total += row[i];
        }
        if (r > 0)
            printf("\r\n\r\n");
        printf("  %lld\t%lld", play(n, 1), (total + play(n, 0)) / 2);
    }
    return 0;
}
