// Mistake: plays all n! * n! games, one by one.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

using Grid = std::vector<std::vector<int>>;

// The total of what is left when these rows and columns are crossed out.
static int play(const Grid &grid, int rows, int columns) {
    int n = grid.size(), highest = -(1 << 30);
    if (rows + 1 == 1 << n)
        return 0;
    for (int row = 0; row < n; row++) {
        if (rows >> row & 1)
            continue;
        int lowest = 1 << 30;
        for (int column = 0; column < n; column++)
            if (!(columns >> column & 1))
                lowest = std::min(lowest, grid[row][column] + play(grid, rows | 1 << row, columns | 1 << column));
        highest = std::max(highest, lowest);
    }
    return highest;
}

static int total(const Grid &grid) { return play(grid, 0, 0); }

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
