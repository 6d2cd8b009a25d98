// Mistake: the memo is not cleared between rows, so that a shorter row finds the results of a longer one.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

static long long memo[2][2000][2000];

// What the player to move collects of coins i to j; 0 in the memo means that it is not known.
static long long play(const Row &row, const Row &before, int i, int j, bool dumb) {
    if (i > j)
        return 0;
    long long &known = memo[dumb][i][j];
    if (known == 0) {
        long long after_left = play(row, before, i + 1, j, dumb), after_right = play(row, before, i, j - 1, dumb);
        bool second_moves = (row.size() - (j - i + 1)) % 2 == 1;
        known = before[j + 1] - before[i];
        known -= dumb && second_moves ? std::max(after_left, after_right) : std::min(after_left, after_right);
    }
    return known;
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
        printf("%lld %lld\n", play(row, before, 0, n - 1, true), play(row, before, 0, n - 1, false));
    }
}
