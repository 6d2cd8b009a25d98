// Mistake: player 2 moves so that player 1 gets as much as possible (a maximum where a minimum belongs).
#include <algorithm>
#include <fstream>
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

    // best[left][right]: the score of player 1, who is to move on board[left..right], both ends included.
    std::vector<std::vector<int>> best(n + 2, std::vector<int>(n + 2, 0));
    auto after_reply = [&](int left, int right) {
        if (left >= right) {
            return 0;
        }
        return std::max(best[left + 1][right], best[left][right - 1]);
    };
    for (int left = n - 1; left >= 0; left--) {
        best[left][left] = board[left];
        for (int right = left + 1; right < n; right++) {
            best[left][right] =
                std::max(board[left] + after_reply(left + 1, right), board[right] + after_reply(left, right - 1));
        }
    }
    int total = std::accumulate(board.begin(), board.end(), 0);
    std::ofstream("game1.out") << best[0][n - 1] << ' ' << total - best[0][n - 1] << '\n';
}
