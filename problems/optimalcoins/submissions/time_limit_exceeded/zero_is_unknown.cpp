// Mistake: 0 in the memo means "not known yet"; parts that are worth nothing are played out again and again. Rows by
// chance do not show it, forty zeros do.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

static long long memo[1000][1000];

static long long play(const Row &row, const Row &before, int i, int j) {
    if (i > j)
        return 0;
    if (memo[i][j] == 0)
        memo[i][j] = before[j + 1] - before[i] - std::min(play(row, before, i + 1, j), play(row, before, i, j - 1));
    return memo[i][j];
}

static long long collected(const Row &row) {
    Row before(1);
    for (long long value : row)
        before.push_back(before.back() + value);
    for (auto &part : memo)
        std::fill(std::begin(part), std::end(part), 0);
    return play(row, before, 0, row.size() - 1);
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
