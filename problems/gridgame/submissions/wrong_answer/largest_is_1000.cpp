// Mistake: the best total of each set of columns starts at 1000, as if totals were no higher than single numbers.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

using Grid = std::vector<std::vector<int>>;

// The least total: best[mask] takes the columns of the mask from as many rows at the top.
static int total(const Grid &grid) {
    int n = grid.size();
    std::vector<int> best(1 << n, 1000);
    best[0] = 0;
    for (int mask = 0; mask < 1 << n; mask++) {
        int row = __builtin_popcount(mask);
        for (int column = 0; column < n; column++)
            if (!(mask >> column & 1))
                best[mask | 1 << column] = std::min(best[mask | 1 << column], best[mask] + grid[row][column]);
    }
    return best[(1 << n) - 1];
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
