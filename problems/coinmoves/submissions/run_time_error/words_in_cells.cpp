// Mistake: keeps the moves of every part of the row with its result, as the source does in its first program; for
// 3000 coins that takes gigabytes. The memory limit stops it, which counts as a run-time error.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

using Row = std::vector<long long>;
using Table = std::vector<Row>;

struct Part {
    long long lead = 0;
    std::string moves;
};

int main() {
    int n;
    scanf("%d", &n);
    Row row(n);
    for (long long &value : row)
        scanf("%lld", &value);
    std::vector<std::vector<Part>> parts(n + 1, std::vector<Part>(n + 1));
    for (int length = 1; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
            int j = i + length;
            const Part &left = parts[i + 1][j], &right = parts[i][j - 1];
            if (row[i] - left.lead >= row[j - 1] - right.lead)
                parts[i][j] = {row[i] - left.lead, "L" + left.moves};
            else
                parts[i][j] = {row[j - 1] - right.lead, "R" + right.moves};
        }
    long long total = std::accumulate(row.begin(), row.end(), 0LL);
    printf("%lld %s\n", (total + parts[0][n].lead) / 2, parts[0][n].moves.c_str());
}
