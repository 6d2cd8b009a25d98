// Mistake: looks for the next permutation before the last one is counted.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

using Grid = std::vector<std::vector<int>>;

// The least total of one number from each row, no two from one column.
static int total(const Grid &grid) {
    int n = grid.size(), best = 1 << 30;
    std::vector<int> column(n);
    std::iota(column.begin(), column.end(), 0);
    int sum = 0;
    for (int row = 0; row < n; row++)
        sum += grid[row][column[row]];
    while (std::next_permutation(column.begin(), column.end())) {
        best = std::min(best, sum);
        sum = 0;
        for (int row = 0; row < n; row++)
            sum += grid[row][column[row]];
    }
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
        printf("%d\n", total(grid));
    }
}
