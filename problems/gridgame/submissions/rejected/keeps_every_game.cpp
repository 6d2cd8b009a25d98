// Mistake: keeps every game that can be played so far, each with a grid of its own, round by round; for 6 rows and
// more that takes hundreds of megabytes. The memory limit stops it, which counts as a run-time error.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

using Grid = std::vector<std::vector<int>>;

struct Game {
    int cells[8][8], rows, columns, sum;
};

// Alice has no influence, so the lowest total of all games is the answer.
static int total(const Grid &grid) {
    int n = grid.size();
    Game start{};
    for (int row = 0; row < n; row++)
        std::copy(grid[row].begin(), grid[row].end(), start.cells[row]);
    std::vector<Game> games{start};
    for (int round = 0; round < n; round++) {
        std::vector<Game> longer;
        longer.reserve(games.size() * (n - round) * (n - round));
        for (const Game &game : games)
            for (int row = 0; row < n; row++)
                for (int column = 0; column < n; column++)
                    if (!(game.rows >> row & 1) && !(game.columns >> column & 1)) {
                        longer.push_back(game);
                        longer.back().rows |= 1 << row;
                        longer.back().columns |= 1 << column;
                        longer.back().sum += game.cells[row][column];
                    }
        games.swap(longer);
    }
    int best = games[0].sum;
    for (const Game &game : games)
        best = std::min(best, game.sum);
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
