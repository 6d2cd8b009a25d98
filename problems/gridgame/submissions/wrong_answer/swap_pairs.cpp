// Mistake: begins with the diagonal and exchanges the columns of two rows as long as that helps; sometimes three have
// to change at once.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

using Grid = std::vector<std::vector<int>>;

static int total(const Grid &grid) {
    int n = grid.size(), sum = 0;
    std::vector<int> column(n);
    std::iota(column.begin(), column.end(), 0);
    for (bool better = true; better;) {
        better = false;
        for (int a = 0; a < n; a++)
            for (int b = 0; b < a; b++)
                if (grid[a][column[b]] + grid[b][column[a]] < grid[a][column[a]] + grid[b][column[b]]) {
                    std::swap(column[a], column[b]);
                    better = true;
                }
    }
    for (int row = 0; row < n; row++)
        sum += grid[row][column[row]];
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
