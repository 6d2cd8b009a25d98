// Mistake: plays well until half of the coins are gone, and takes the larger end from there on.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

using Row = std::vector<long long>;
using Table = std::vector<Row>;

// By how much the player to move leads on every part of the row: from i up to j at [i][j].
static Table leads(const Row &row) {
    int n = row.size();
    Table lead(n + 1, Row(n + 1));
    for (int length = 1; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
            int j = i + length;
            lead[i][j] = std::max(row[i] - lead[i + 1][j], row[j - 1] - lead[i][j - 1]);
        }
    return lead;
}

static std::string moves(const Row &row, const Table &lead) {
    int i = 0, j = row.size();
    std::string moves;
    while (i < j) {
        bool late = j - i <= (int)row.size() / 2;
        if (late ? row[i] >= row[j - 1] : row[i] - lead[i + 1][j] >= row[j - 1] - lead[i][j - 1])
            moves += 'L', i++;
        else
            moves += 'R', j--;
    }
    return moves;
}

int main() {
    int n;
    scanf("%d", &n);
    Row row(n);
    for (long long &value : row)
        scanf("%lld", &value);
    Table lead = leads(row);
    long long total = std::accumulate(row.begin(), row.end(), 0LL);
    printf("%lld %s\n", (total + lead[0][n]) / 2, moves(row, lead).c_str());
}
