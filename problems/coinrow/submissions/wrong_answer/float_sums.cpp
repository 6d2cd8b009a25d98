// Mistake: sums as floating-point numbers of 32 bits, which hold 24 bits exactly.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<float>;

// What the first player collects when both play for the first.
static float dumb(const Row &row) {
    int n = row.size();
    Row best(n + 1);
    for (int length = 1; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
            float after_left = length == 1 ? 0.0f : best[i + 1], after_right = length == 1 ? 0.0f : best[i];
            if ((n - length) % 2 == 0)
                best[i] = std::max(row[i] + after_left, row[i + length - 1] + after_right);
            else
                best[i] = std::max(after_left, after_right);
        }
    return best[0];
}

// What the player to move collects when both play for themselves.
static float smart(const Row &row) {
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
        printf("%.0f %.0f\n", dumb(row), smart(row));
    }
}
