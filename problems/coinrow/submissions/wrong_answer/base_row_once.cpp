// Mistake: the results of single coins are filled in for the first row only.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

static long long best[2][2000][2000];

// What the player to move collects of each part of the row.
static long long play(const Row &row, const Row &before, bool dumb, bool first_row) {
    int n = row.size();
    if (first_row)
        for (int i = 0; i < n; i++)
            best[dumb][i][i] = row[i];
    for (int length = 2; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
            int j = i + length - 1;
            long long after_left = best[dumb][i + 1][j], after_right = best[dumb][i][j - 1];
            bool second_moves = (n - length) % 2 == 1;
            best[dumb][i][j] = before[j + 1] - before[i] -
                (dumb && second_moves ? std::max(after_left, after_right) : std::min(after_left, after_right));
        }
    return best[dumb][0][n - 1];
}

int main() {
    int rows;
    scanf("%d", &rows);
    bool first_row = true;
    while (rows--) {
        int n;
        scanf("%d", &n);
        Row row(n);
        for (long long &value : row)
            scanf("%lld", &value);
        Row before(1);
        for (long long value : row)
            before.push_back(before.back() + value);
        printf("%lld %lld\n", play(row, before, true, first_row), play(row, before, false, first_row));
        first_row = false;
    }
}
