// Mistake: the memo is not cleared between rows.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

static long long memo[1000][1001];
static bool known[1000][1001];

// What the player to move has of coins i up to j.
static long long play(const Row &row, const Row &before, int i, int j) {
    if (i == j)
        return 0;
    if (!known[i][j]) {
        known[i][j] = true;
        memo[i][j] = before[j] - before[i] - std::min(play(row, before, i + 1, j), play(row, before, i, j - 1));
    }
    return memo[i][j];
}

int main() {
    int rows;
    scanf("%d", &rows);
    while (rows--) {
        int n;
        scanf("%d", &n);
        Row row(n);
        for (long long &value : row)
            scanf("%lld", &value);
        Row before(1);
        for (long long value : row)
            before.push_back(before.back() + value);
        printf("%lld\n", play(row, before, 0, n));
    }
}
