// Takes the larger number; of two equal ones the right.
#include <deque>
#include <iostream>

int main() {
    int n, side;
    std::cin >> n >> side;
    std::deque<int> row(n);
    for (int& value : row) std::cin >> value;
    for (int turn = 1; turn <= n; ++turn) {
        char move;
        if (turn % 2 == side % 2) {
            move = row.front() > row.back() ? 'L' : 'R';
            std::cout << move << std::endl;
        } else {
            std::cin >> move;
        }
        if (move == 'L') row.pop_front(); else row.pop_back();
    }
}
