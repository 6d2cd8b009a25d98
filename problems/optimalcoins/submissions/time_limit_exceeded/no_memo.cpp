// Mistake: plain recursion that plays the same parts of the row again and again.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

static long long lead(const Row &row, int i, int j) {
    return i == j ? 0 : std::max(row[i] - lead(row, i + 1, j), row[j - 1] - lead(row, i, j - 1));
}

static long long collected(const Row &row) {
    long long total = 0;
    for (long long value : row)
        total += value;
    return (total + lead(row, 0, row.size())) / 2;
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
