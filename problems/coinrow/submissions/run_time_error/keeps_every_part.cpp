// Mistake: keeps a copy of every part of the row with its result, which takes some gigabytes for 2000 coins. The
// memory limit stops it, which counts as a run-time error.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

struct Part {
    Row coins;
    long long dumb, smart; // what the first player collects, what the player to move collects
};

int main() {
    int rows;
    scanf("%d", &rows);
    while (rows--) {
        int n;
        scanf("%d", &n);
        Row row(n);
        for (long long &value : row)
            scanf("%lld", &value);
        std::vector<std::vector<Part>> parts(n + 1, std::vector<Part>(n + 1));
        for (int length = 1; length <= n; length++)
            for (int i = 0; i + length <= n; i++) {
                int j = i + length;
                Part &part = parts[i][j], &left = parts[i + 1][j], &right = parts[i][j - 1];
                part.coins.assign(row.begin() + i, row.begin() + j);
                if ((n - length) % 2 == 0)
                    part.dumb = std::max(row[i] + left.dumb, row[j - 1] + right.dumb);
                else
                    part.dumb = std::max(left.dumb, right.dumb);
                long long total = 0;
                for (long long value : part.coins)
                    total += value;
                part.smart = total - std::min(left.smart, right.smart);
            }
        printf("%lld %lld\n", parts[0][n].dumb, parts[0][n].smart);
    }
}
