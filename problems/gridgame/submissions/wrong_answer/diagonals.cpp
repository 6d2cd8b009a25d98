// Mistake: tries the n diagonals that wrap around, not all n! ways to choose columns.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

using Grid = std::vector<std::vector<int>>;

static int total(const Grid &grid) {
    int n = grid.size(), best = 1 << 30;
    for (int shift = 0; shift < n; shift++) {
        int sum = 0;
        for (int row = 0; row < n; row++)
            sum += grid[row][(row + shift) % n];
        best = std::min(best, sum);
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
