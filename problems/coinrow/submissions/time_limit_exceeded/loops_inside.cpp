// Mistake: the program of the source, with tables on the heap and sums of 64 bits. A brace stands in the wrong place:
// the loops over all parts run once for every coin that is read, which makes it cubic.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

using Table = std::vector<std::vector<long long>>;

int main() {
    int rows;
    scanf("%d", &rows);
    while (rows-- > 0) {
        int n;
        scanf("%d", &n);
        Table smart(n, Row(n)), dumb(n, Row(n)), sum(n, Row(n));
        for (int k = 0; k < n; k++) {
            scanf("%lld", &sum[k][k]);
            smart[k][k] = dumb[k][k] = sum[k][k];
            for (int d = 1; d < n; d++)
                for (int i = 0; i + d < n; i++) {
                    int j = i + d;
                    sum[i][j] = sum[i][j - 1] + sum[j][j];
                    smart[i][j] = sum[i][j] - std::min(smart[i + 1][j], smart[i][j - 1]);
                    if ((d + n) % 2)
                        dumb[i][j] = sum[i][j] - std::min(dumb[i + 1][j], dumb[i][j - 1]);
                    else
                        dumb[i][j] = sum[i][j] - std::max(dumb[i + 1][j], dumb[i][j - 1]);
                }
        }
        printf("%lld %lld\n", dumb[0][n - 1], smart[0][n - 1]);
    }
}
