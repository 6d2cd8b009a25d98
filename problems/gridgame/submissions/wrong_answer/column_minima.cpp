// Mistake: adds the smallest number of each column; two of them may stand in one row.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

using Grid = std::vector<std::vector<int>>;

static int total(const Grid &grid) {
    int n = grid.size(), sum = 0;
    for (int column = 0; column < n; column++) {
        int smallest = grid[0][column];
        for (int row = 1; row < n; row++)
            smallest = std::min(smallest, grid[row][column]);
        sum += smallest;
    }
    return sum;
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
