// Mistake: what the player to move collects as a floating-point number of 32 bits, which decides the moves. The total that
// is printed is exact.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

using Row = std::vector<float>;
using Table = std::vector<Row>;

// What the player to move collects on every part of the row: from i up to j at [i][j].
static Table collected(const Row &row) {
    int n = row.size();
    Row before(n + 1);
    for (int i = 0; i < n; i++)
        before[i + 1] = before[i] + row[i];
    Table collected(n + 1, Row(n + 1));
    for (int length = 1; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
            int j = i + length;
            collected[i][j] = before[j] - before[i] - std::min(collected[i + 1][j], collected[i][j - 1]);
        }
    return collected;
}

int main() {
    int n;
    scanf("%d", &n);
    Row row(n);
    for (float &value : row)
        scanf("%f", &value);
    Table table = collected(row);
    long long total = 0;
    std::string moves;
    for (int i = 0, j = n; i < j;) {
        bool left = table[i + 1][j] <= table[i][j - 1];
        if (moves.size() % 2 == 0)
            total += (long long)(left ? row[i] : row[j - 1]);
        moves += left ? 'L' : 'R';
        left ? i++ : j--;
    }
    printf("%lld %s\n", total, moves.c_str());
}
