// Mistake: sums as floating-point numbers of 32 bits, which hold 24 bits exactly; only long rows of precious coins
// need more.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<float>;

// What the player to move collects when both play for themselves.
static float collected(const Row &row) {
    int n = row.size();
    Row best(n), total(n);
    for (int length = 1; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
            total[i] += row[i + length - 1];
            best[i] = total[i] - (length == 1 ? 0.0f : std::min(best[i], best[i + 1]));
        }
    return best[0];
}

int main() {
    int rows;
    scanf("%d", &rows);
    while (rows--) {
        int n;
        scanf("%d", &n);
        Row row(n);
        for (float &value : row)
            scanf("%f", &value);
        printf("%.0f\n", collected(row));
    }
}
