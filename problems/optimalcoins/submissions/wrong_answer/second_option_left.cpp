// Mistake: the first approach of the source as printed: the coin on the right is taken, but the one on the left is
// added. With a memo, so that it is fast.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

static long long helper(const Row &coins, std::vector<Row> &memo, int i, int j) {
    if (i > j)
        return 0;
    if (i == j)
        return coins[i];
    if (memo[i][j] != -1)
        return memo[i][j];
    long long x = coins[i] + std::min(helper(coins, memo, i + 1, j - 1), helper(coins, memo, i + 2, j));
    long long y = coins[i] + std::min(helper(coins, memo, i + 1, j - 1), helper(coins, memo, i, j - 2));
    return memo[i][j] = std::max(x, y);
}

static long long collected(const Row &row) {
    std::vector<Row> memo(row.size(), Row(row.size(), -1));
    return helper(row, memo, 0, row.size() - 1);
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
        printf("%lld\n", collected(row));
    }
}
