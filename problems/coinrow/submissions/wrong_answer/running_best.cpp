// Mistake: the best result is kept from row to row instead of starting anew.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

// What the first player collects when both play for the first.
static long long dumb(const Row &row) {
    int n = row.size();
    Row best(n + 1);
    for (int length = 1; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
            long long after_left = length == 1 ? 0 : best[i + 1], after_right = length == 1 ? 0 : best[i];
            if ((n - length) % 2 == 0)
                best[i] = std::max(row[i] + after_left, row[i + length - 1] + after_right);
            else
                best[i] = std::max(after_left, after_right);
        }
    return best[0];
}

// What the player to move collects when both play for themselves.
static long long smart(const Row &row) {
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
    long long most_dumb = 0, most_smart = 0;
    int rows;
    scanf("%d", &rows);
    while (rows--) {
        int n;
        scanf("%d", &n);
        Row row(n);
        for (long long &value : row)
            scanf("%lld", &value);
        most_dumb = std::max(most_dumb, dumb(row));
        most_smart = std::max(most_smart, smart(row));
        printf("%lld %lld\n", most_dumb, most_smart);
    }
}
