// Mistake: the loop over the board runs one too far; `at` throws, and nothing catches.
#include <algorithm>
#include <fstream>
#include <vector>

int main() {
    std::ifstream in("game1.in");
    int n;
    in >> n;
    std::vector<int> board(n);
    for (int& value : board) {
        in >> value;
    }
    int total = 0;
    for (int i = 0; i <= n; i++) {
        total += board.at(i);
    }

    std::vector<int> lead = board;
    for (int length = 2; length <= n; length++) {
        for (int i = 0; i + length <= n; i++) {
            lead[i] = std::max(board[i] - lead[i + 1], board[i + length - 1] - lead[i]);
        }
    }
    int first = (total + lead[0]) / 2;
    std::ofstream("game1.out") << first << ' ' << total - first << '\n';
}
