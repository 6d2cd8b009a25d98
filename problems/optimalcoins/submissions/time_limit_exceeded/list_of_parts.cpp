// Mistake: the memo is a list that is searched from its start, which takes the square of the number of parts.
#include <algorithm>
#include <cstdio>
#include <vector>

using Row = std::vector<long long>;

struct Memo {
    std::vector<int> parts;
    std::vector<long long> leads;
};

static long long lead(const Row &row, Memo &memo, int i, int j) {
    if (i == j)
        return 0;
    int part = i * 1001 + j;
    auto known = std::find(memo.parts.begin(), memo.parts.end(), part);
    if (known != memo.parts.end())
        return memo.leads[known - memo.parts.begin()];
    long long best = std::max(row[i] - lead(row, memo, i + 1, j), row[j - 1] - lead(row, memo, i, j - 1));
    memo.parts.push_back(part);
    memo.leads.push_back(best);
    return best;
}

static long long collected(const Row &row) {
    Memo memo;
    long long total = 0;
    for (long long value : row)
        total += value;
    return (total + lead(row, memo, 0, row.size())) / 2;
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
        printf("%lld\n", collected(row));
    }
}
