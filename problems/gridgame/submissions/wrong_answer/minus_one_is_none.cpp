// Mistake: -1 stands for "no total yet", although it is a total that can occur.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

using Grid = std::vector<std::vector<int>>;

// The least total of one number from each row, no two from one column.
static int total(const Grid &grid) {
    int n = grid.size(), best = -1;
    std::vector<int> column(n);
    std::iota(column.begin(), column.end(), 0);
    do {
        int sum = 0;
        for (int row = 0; row < n; row++)
            sum += grid[row][column[row]];
        if (best == -1 || sum < best)
            best = sum;
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
