// Mistake: the best total is kept from grid to grid instead of starting anew.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

using Grid = std::vector<std::vector<int>>;

static int best = 1 << 30;

// The least total of one number from each row, no two from one column.
static int total(const Grid &grid) {
    int n = grid.size();
    std::vector<int> column(n);
    std::iota(column.begin(), column.end(), 0);
    do {
        int sum = 0;
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
        printf("%d\n", total(grid));
    }
}
