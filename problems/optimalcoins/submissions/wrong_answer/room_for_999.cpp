// Mistake: takes 999 coins for the most that a row can have; the others are read and dropped.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

// What the player to move collects when both play for themselves.
static long long collected(const Row &row) {
    int n = row.size();
    Row best(n), total(n);
    for (int length = 1; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
            total[i] += row[i + length - 1];
            best[i] = total[i] - (length == 1 ? 0 : std::min(best[i], best[i + 1]));
        }
    return best[0];
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
        if (n > 999)
            row.resize(999);
        printf("%lld\n", collected(row));
    }
}
