// Mistake: keeps all games, every order of the rows with every order of the columns. Seven rows need more memory than there
// is.

#include <algorithm>
#include <array>
#include <deque>
#include <iostream>
#include <numeric>
#include <vector>

struct Game {
    std::array<long long, 8> rows, columns;
    int total;
};

int main() {
    int n;
    std::cin >> n;
    std::vector<std::vector<int>> grid(n, std::vector<int>(n));
    for (auto& row : grid)
        for (int& value : row) std::cin >> value;
    std::deque<Game> games;
    std::vector<int> row(n), column(n);
    std::iota(row.begin(), row.end(), 0);
    do {
        std::iota(column.begin(), column.end(), 0);
        do {
            Game game{};
            for (int round = 0; round < n; round++) {
                game.rows[round] = row[round];
                game.columns[round] = column[round];
                game.total += grid[row[round]][column[round]];
            }
            games.push_back(game);
        } while (std::next_permutation(column.begin(), column.end()));
    } while (std::next_permutation(row.begin(), row.end()));
    for (int round = 0; round < n; round++) {
        int crossed;
        std::cin >> crossed;
        crossed--;
        // Of the games that went as this one has, those that go on with this row, and of them the best.
        std::erase_if(games, [&](const Game& game) { return game.rows[round] != crossed; });
        auto best = std::min_element(games.begin(), games.end(),
                                     [](const Game& a, const Game& b) { return a.total < b.total; });
        int answer = best->columns[round];
        std::erase_if(games, [&](const Game& game) { return game.columns[round] != answer; });
        std::cout << answer + 1 << std::endl;
    }
}
