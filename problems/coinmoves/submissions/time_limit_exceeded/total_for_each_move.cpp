// Mistake: makes the whole table anew for every move, which is cubic.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

using Row = std::vector<long long>;
using Table = std::vector<Row>;

static long long lead(const Row &row, int from, int to) {
    int n = to - from;
    Row best(n + 1);
    for (int length = 1; length <= n; length++)
        for (int i = 0; i + length <= n; i++)
            best[i] = std::max(row[from + i] - best[i + 1], row[from + i + length - 1] - best[i]);
    return best[0];
}

int main() {
    int n;
    scanf("%d", &n);
    Row row(n);
    for (long long &value : row)
        scanf("%lld", &value);
    long long total = std::accumulate(row.begin(), row.end(), 0LL);
    printf("%lld ", (total + lead(row, 0, n)) / 2);
    for (int i = 0, j = n; i < j;)
        if (row[i] - lead(row, i + 1, j) >= row[j - 1] - lead(row, i, j - 1))
            putchar('L'), i++;
        else
            putchar('R'), j--;
    putchar('\n');
}
