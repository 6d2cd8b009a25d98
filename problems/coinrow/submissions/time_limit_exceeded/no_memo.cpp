// Mistake: plain recursion that plays the same parts of the row again and again, 2^n steps in all.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

// What the first player collects of coins i to j.
static long long play(const Row &row, int i, int j, bool dumb) {
    if (i > j)
        return 0;
    long long after_left = play(row, i + 1, j, dumb), after_right = play(row, i, j - 1, dumb);
    if ((row.size() - (j - i + 1)) % 2 == 0)
        return std::max(row[i] + after_left, row[j] + after_right);
    return dumb ? std::max(after_left, after_right) : std::min(after_left, after_right);
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
        printf("%lld %lld\n", play(row, 0, n - 1, true), play(row, 0, n - 1, false));
    }
}
