// Mistake: the first approach of the source as printed, with neither a memo nor the right coin added in the second
// option.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

static long long helper(const Row &coins, int i, int j) {
    if (i > j)
        return 0;
    if (i == j)
        return coins[i];
    long long x = coins[i] + std::min(helper(coins, i + 1, j - 1), helper(coins, i + 2, j));
    long long y = coins[i] + std::min(helper(coins, i + 1, j - 1), helper(coins, i, j - 2));
    return std::max(x, y);
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
        printf("%lld\n", helper(row, 0, n - 1));
    }
}
