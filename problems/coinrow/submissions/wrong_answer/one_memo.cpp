// Mistake: one memo for both games; the smart game finds what the dumb one left there.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

static std::vector<Row> memo;

// What the player to move collects of coins i to j.
static long long play(const Row &row, const Row &before, int i, int j, bool dumb) {
    if (i > j)
        return 0;
    if (memo[i][j] >= 0)
        return memo[i][j];
    long long after_left = play(row, before, i + 1, j, dumb), after_right = play(row, before, i, j - 1, dumb);
    bool second_moves = (row.size() - (j - i + 1)) % 2 == 1;
    long long other = dumb && second_moves ? std::max(after_left, after_right) : std::min(after_left, after_right);
    return memo[i][j] = before[j + 1] - before[i] - other;
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
        Row before(1);
        for (long long value : row)
            before.push_back(before.back() + value);
        memo.assign(n, Row(n, -1));
        long long dumb = play(row, before, 0, n - 1, true);
        printf("%lld %lld\n", dumb, play(row, before, 0, n - 1, false));
    }
}
