// Mistake: takes 64 numbers for the most there can be and ignores the others.
#include <algorithm>
#include <fstream>
#include <numeric>
#include <vector>

const int MOST = 64;

int main() {
    std::ifstream in("game1.in");
    int n;
    in >> n;
    n = std::min(n, MOST);
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
    std::ofstream("game1.out") << first << ' ' << total - first << '\n';
}
