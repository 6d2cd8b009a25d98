// Mistake: plain recursion that solves the same boards again and again, 2^N steps in all.
#include <algorithm>
#include <fstream>
#include <numeric>
#include <vector>

std::vector<int> board;

// The lead of the player to move when board[left..right] is left, both ends included.
int lead(int left, int right) {
    if (left > right) {
        return 0;
    }
    return std::max(board[left] - lead(left + 1, right), board[right] - lead(left, right - 1));
}

int main() {
    std::ifstream in("game1.in");
    int n;
    in >> n;
    board.resize(n);
    for (int& value : board) {
        in >> value;
    }
    int total = std::accumulate(board.begin(), board.end(), 0);
    int first = (total + lead(0, n - 1)) / 2;
    std::ofstream("game1.out") << first << ' ' << total - first << '\n';
}
