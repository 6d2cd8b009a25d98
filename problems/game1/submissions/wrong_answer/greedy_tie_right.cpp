// Mistake: each player takes the larger end, and the right one when both are equal.
#include <deque>
#include <fstream>

int main() {
    std::ifstream in("game1.in");
    int n;
    in >> n;
    std::deque<int> board(n);
    for (int& value : board) {
        in >> value;
    }

    int scores[2] = {0, 0};
    for (int turn = 0; turn < n; turn++) {
        if (board.front() > board.back()) {
            scores[turn % 2] += board.front();
            board.pop_front();
        } else {
            scores[turn % 2] += board.back();
            board.pop_back();
        }
    }
    std::ofstream("game1.out") << scores[0] << ' ' << scores[1] << '\n';
}
