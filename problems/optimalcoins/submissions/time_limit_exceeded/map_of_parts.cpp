// Mistake: a memo in a map, which takes seconds for ten rows of 1000 coins.
#include <map>
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

using Memo = std::map<std::pair<int, int>, long long>;

static long long lead(const Row &row, Memo &memo, int i, int j) {
    if (i == j)
        return 0;
    auto known = memo.find({i, j});
    if (known != memo.end())
        return known->second;
    long long best = std::max(row[i] - lead(row, memo, i + 1, j), row[j - 1] - lead(row, memo, i, j - 1));
    return memo[{i, j}] = best;
}

static long long collected(const Row &row) {
    Memo memo;
    long long total = 0;
    for (long long value : row)
        total += value;
    return (total + lead(row, memo, 0, row.size())) / 2;
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
