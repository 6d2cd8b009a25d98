// Mistake: the recursion stops when one number is left and forgets to count it.
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

    std::vector<std::vector<int>> lead(n, std::vector<int>(n, 0));
    for (int length = 2; length <= n; length++) {
        for (int left = 0, right = length - 1; right < n; left++, right++) {
            lead[left][right] = std::max(board[left] - lead[left + 1][right], board[right] - lead[left][right - 1]);
        }
    }
    int total = std::accumulate(board.begin(), board.end(), 0);
    int first = (total + lead[0][n - 1]) / 2;
    std::ofstream("game1.out") << first << ' ' << total - first << '\n';
}
