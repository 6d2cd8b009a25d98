// Memoised recursion on the lead of the player to move.
#include <algorithm>
#include <fstream>
#include <numeric>
#include <optional>
#include <vector>

std::vector<int> board;
std::vector<std::vector<std::optional<int>>> known;

// The lead of the player to move when board[left..right] is left, both ends included.
int lead(int left, int right) {
    if (left > right) {
        return 0;
    }
    std::optional<int>& answer = known[left][right];
    if (!answer) {
        answer = std::max(board[left] - lead(left + 1, right), board[right] - lead(left, right - 1));
    }
    return *answer;
}

int main() {
    std::ifstream in("game1.in");
    int n;
    in >> n;
    board.resize(n);
    for (int& value : board) {
        in >> value;
    }
    known.assign(n, std::vector<std::optional<int>>(n));

    int total = std::accumulate(board.begin(), board.end(), 0);
    int first = (total + lead(0, n - 1)) / 2;
    std::ofstream("game1.out") << first << ' ' << total - first << '\n';
}
