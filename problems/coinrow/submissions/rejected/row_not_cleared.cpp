// Mistake: the coins of the row before stand in front of those of each row; they are taken away a row too late.
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
    int rows;
    scanf("%d", &rows);
    Row row;
    while (rows--) {
        int n, before = row.size();
        scanf("%d", &n);
        for (int i = 0; i < n; i++) {
            long long value;
            scanf("%lld", &value);
            row.push_back(value);
        }
        printf("%lld %lld\n", dumb(row), smart(row));
        row.erase(row.begin(), row.begin() + before);
    }
}
