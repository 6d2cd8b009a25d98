// Mistake: the answer is right, but the program returns the number of rows as its exit code.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

// What the player to move collects when both play for themselves.
static long long collected(const Row &row) {
    int n = row.size();
    Row best(n), total(n);
    for (int length = 1; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
            total[i] += row[i + length - 1];
            best[i] = total[i] - (length == 1 ? 0 : std::min(best[i], best[i + 1]));
        }
    return best[0];
}

int main() {
    int rows;
    scanf("%d", &rows);
    for (int number = 0; number < rows; number++) {
        int n;
        scanf("%d", &n);
        Row row(n);
        for (long long &value : row)
            scanf("%lld", &value);
        printf("%lld\n", collected(row));
    }
    return rows;
}
