// Right, with habits that a judge must forgive: notes on standard output, and in game1.out the scores on two lines,
// with carriage returns and without a last line end.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <vector>

int main() {
    std::ifstream in("game1.in");
    int n;
    in >> n;
    std::vector<int> board(n);
    int total = 0;
    for (int& value : board) {
        in >> value;
        total += value;
    }
    std::cout << "read " << n << " numbers, in all " << total << std::endl;

    std::vector<int> lead = board;
    for (int length = 2; length <= n; length++) {
        for (int i = 0; i + length <= n; i++) {
            lead[i] = std::max(board[i] - lead[i + 1], board[i + length - 1] - lead[i]);
        }
    }
    std::cout << "player 1 leads by " << lead[0] << std::endl;

    std::ofstream out("game1.out");
    out << (total + lead[0]) / 2 << "\r\n  " << (total - lead[0]) / 2;
}
