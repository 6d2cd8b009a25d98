// The first player's total on every part of the row, with the turn known from the parity, as the source has it; but
// with n of any parity.
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
    std::vector<std::vector<bool>> left_is_best(n, std::vector<bool>(n));
    Row total(n + 1);
    for (int length = 1; length <= n; length++) {
        bool first_moves = (n - length) % 2 == 0;
        for (int i = 0; i + length <= n; i++) {
            int j = i + length - 1;
            long long left = length == 1 ? 0 : total[i + 1], right = length == 1 ? 0 : total[i];
            if (first_moves)
                left += row[i], right += row[j];
            left_is_best[i][j] = first_moves ? left > right : left < right;
            total[i] = first_moves ? std::max(left, right) : std::min(left, right);
        }
    }
    printf("%lld ", total[0]);
    for (int i = 0, j = n - 1; i <= j;)
        if (left_is_best[i][j])
            putchar('L'), i++;
        else
            putchar('R'), j--;
    putchar('\n');
}
