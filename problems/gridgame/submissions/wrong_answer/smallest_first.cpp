// Mistake: takes the smallest number of the whole grid, crosses out its row and column, and goes on.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

using Grid = std::vector<std::vector<int>>;

static int total(Grid grid) {
    int sum = 0;
    while (!grid.empty()) {
        size_t row = 0, column = 0;
        for (size_t i = 0; i < grid.size(); i++)
            for (size_t j = 0; j < grid.size(); j++)
                if (grid[i][j] < grid[row][column])
                    row = i, column = j;
        sum += grid[row][column];
        grid.erase(grid.begin() + row);
        for (auto &rest : grid)
            rest.erase(rest.begin() + column);
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
