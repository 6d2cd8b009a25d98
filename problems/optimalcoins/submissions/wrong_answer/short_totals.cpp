// Mistake: sums in 16 bits without a sign; they wrap around at 65536, where single values do already.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<unsigned short>;

// What the player to move collects when both play for themselves.
static unsigned short collected(const Row &row) {
    int n = row.size();
    Row best(n), total(n);
    for (int length = 1; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
            total[i] += row[i + length - 1];
            best[i] = total[i] - (length == 1 ? 0 : (int)std::min(best[i], best[i + 1]));
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
        for (unsigned short &value : row)
            scanf("%hu", &value);
        printf("%d\n", collected(row));
    }
}
