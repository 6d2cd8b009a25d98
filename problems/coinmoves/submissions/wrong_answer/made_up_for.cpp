// Mistake: looks for moves that lead to the right total, whoever has to play badly for it. Rows of more than twenty
// coins are solved well.
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
        if (row[i] - lead[i + 1][j] >= row[j - 1] - lead[i][j - 1])
            moves += 'L', i++;
        else
            moves += 'R', j--;
    }
    return moves;
}

// Finds the first word in the order of the alphabet after which the first player has `wanted` more.
static bool find(const Row &row, int i, int j, long long wanted, std::string &word) {
    if (i == j)
        return wanted == 0;
    bool first_moves = word.size() % 2 == 0;
    word += 'L';
    if (find(row, i + 1, j, wanted - (first_moves ? row[i] : 0), word))
        return true;
    word.back() = 'R';
    if (find(row, i, j - 1, wanted - (first_moves ? row[j - 1] : 0), word))
        return true;
    word.pop_back();
    return false;
}

int main() {
    int n;
    scanf("%d", &n);
    Row row(n);
    for (long long &value : row)
        scanf("%lld", &value);
    Table lead = leads(row);
    long long total = std::accumulate(row.begin(), row.end(), 0LL);
    std::string word;
    if (n <= 20)
        find(row, 0, n, (total + lead[0][n]) / 2, word);
    else
        word = moves(row, lead);
    printf("%lld %s\n", (total + lead[0][n]) / 2, word.c_str());
}
