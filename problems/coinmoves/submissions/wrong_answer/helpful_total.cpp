// Mistake: a maximum where a minimum belongs: the total that the first player has when the second helps. The moves
// fit.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

using Row = std::vector<long long>;
using Table = std::vector<Row>;

int main() {
    int n;
    scanf("%d", &n);
    Row row(n);
    for (long long &value : row)
        scanf("%lld", &value);
    Table best(n + 1, Row(n + 1));
    for (int length = 1; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
            int j = i + length;
            bool first_moves = (n - length) % 2 == 0;
            best[i][j] = std::max(best[i + 1][j] + (first_moves ? row[i] : 0), best[i][j - 1] + (first_moves ? row[j - 1] : 0));
        }
    std::string moves;
    for (int i = 0, j = n; i < j;) {
        bool first_moves = (n - (j - i)) % 2 == 0;
        if (best[i][j] == best[i + 1][j] + (first_moves ? row[i] : 0))
            moves += 'L', i++;
        else
            moves += 'R', j--;
    }
    printf("%lld %s\n", best[0][n], moves.c_str());
}
