// Mistake: you play well, but against a friend who takes the larger coin.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

static long long collected(const Row &row) {
    int n = row.size();
    std::vector<Row> best(n + 2, Row(n + 2));
    for (int length = 2; length <= n; length += 2)
        for (int i = 0; i + length <= n; i++) {
            int j = i + length;
            long long left = row[i] + (row[i + 1] >= row[j - 1] ? best[i + 2][j] : best[i + 1][j - 1]);
            long long right = row[j - 1] + (row[i] >= row[j - 2] ? best[i + 1][j - 1] : best[i][j - 2]);
            best[i][j] = std::max(left, right);
        }
    return best[0][n];
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
