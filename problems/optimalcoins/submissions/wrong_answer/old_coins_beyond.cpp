// Mistake: the row is kept in one array, and its length is read as that of the longest row so far; a shorter row ends
// in the coins of a longer one.
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
    Row row;
    while (rows--) {
        int n;
        scanf("%d", &n);
        if ((int)row.size() < n)
            row.resize(n);
        for (int i = 0; i < n; i++)
            scanf("%lld", &row[i]);
        printf("%lld\n", collected(row));
    }
}
