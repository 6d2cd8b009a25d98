// Mistake: keeps a copy of every part of the row with its result, which takes more than a gigabyte for 1000 coins. The
// memory limit stops it, which counts as a run-time error.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

struct Part {
    Row coins;
    long long lead;
};

static long long collected(const Row &row) {
    int n = row.size();
    std::vector<std::vector<Part>> parts(n + 1, std::vector<Part>(n + 1));
    for (int length = 1; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
            Part &part = parts[i][i + length];
            part.coins.assign(row.begin() + i, row.begin() + i + length);
            part.lead = std::max(part.coins.front() - parts[i + 1][i + length].lead,
                                 part.coins.back() - parts[i][i + length - 1].lead);
        }
    long long total = 0;
    for (long long value : row)
        total += value;
    return (total + parts[0][n].lead) / 2;
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
