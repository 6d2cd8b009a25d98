// Mistake: 0 in the memo means "not known yet"; parts that are worth nothing are played out again and again.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

using Row = std::vector<long long>;
using Table = std::vector<Row>;

static long long memo[3001][3001];

// The total of the player to move on the coins from i up to j.
static long long play(const Row &row, const Row &before, int i, int j) {
    if (i == j)
        return 0;
    if (memo[i][j] == 0)
        memo[i][j] = before[j] - before[i] - std::min(play(row, before, i + 1, j), play(row, before, i, j - 1));
    return memo[i][j];
}

int main() {
    int n;
    scanf("%d", &n);
    Row row(n), before(n + 1);
    for (int i = 0; i < n; i++) {
        scanf("%lld", &row[i]);
        before[i + 1] = before[i] + row[i];
    }
    printf("%lld ", play(row, before, 0, n));
    for (int i = 0, j = n; i < j;)
        if (play(row, before, i + 1, j) <= play(row, before, i, j - 1))
            putchar('L'), i++;
        else
            putchar('R'), j--;
    putchar('\n');
}
