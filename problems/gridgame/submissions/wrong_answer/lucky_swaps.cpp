// Mistake: three hundred exchanges of two columns by chance, each kept if it does no harm; often right.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

using Grid = std::vector<std::vector<int>>;

static unsigned chance = 1;

static unsigned below(unsigned end) {
    chance = chance * 1103515245 + 12345;
    return (chance >> 16) % end;
}

static int total(const Grid &grid) {
    int n = grid.size();
    std::vector<int> column(n);
    std::iota(column.begin(), column.end(), 0);
    for (int tries = 0; tries < 300; tries++) {
        int a = below(n), b = below(n);
        if (grid[a][column[b]] + grid[b][column[a]] <= grid[a][column[a]] + grid[b][column[b]])
            std::swap(column[a], column[b]);
    }
    int sum = 0;
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
