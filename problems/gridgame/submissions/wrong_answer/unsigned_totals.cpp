// Mistake: totals without a sign; those below 0 seem very large.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

using Grid = std::vector<std::vector<int>>;

// The least total of one number from each row, no two from one column.
static unsigned total(const Grid &grid) {
    int n = grid.size();
    unsigned best = 1u << 30;
    std::vector<int> column(n);
    std::iota(column.begin(), column.end(), 0);
    do {
        unsigned sum = 0;
        for (int row = 0; row < n; row++)
            sum += grid[row][column[row]];
        best = std::min(best, sum);
    } while (std::next_permutation(column.begin(), column.end()));
    return best;
}

int main() {
    int grids;
    scanf("%d", &grids);
    while (grids--) {
        int n;
        scanf("%d", &n);
        Grid grid(n, std::vector<int>(n));
        for (auto &row : grid)
            for (int &cell : row)
                scanf("%d", &cell);
        printf("%u\n", total(grid));
    }
}
