// Mistake: writes the right answer to standard output instead of game1.out.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <numeric>
#include <vector>

int main() {
    std::ifstream in("game1.in");
    int n;
    in >> n;
    std::vector<int> board(n);
    for (int& value : board) {
        in >> value;
    }

    std::vector<int> lead = board;
    for (int length = 2; length <= n; length++) {
        for (int i = 0; i + length <= n; i++) {
            lead[i] = std::max(board[i] - lead[i + 1], board[i + length - 1] - lead[i]);
        }
    }
    int total = std::accumulate(board.begin(), board.end(), 0);
    int first = (total + lead[0]) / 2;
    std::cout << first << ' ' << total - first << '\n';
}
