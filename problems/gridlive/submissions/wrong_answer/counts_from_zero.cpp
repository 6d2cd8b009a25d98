// Mistake: columns are counted from 0.

#include <algorithm>
#include <climits>
#include <iostream>
#include <numeric>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::vector<std::vector<int>> grid(n, std::vector<int>(n));
    for (auto& row : grid)
        for (int& value : row) std::cin >> value;
    std::vector<int> column(n);
    std::iota(column.begin(), column.end(), 0);
    std::vector<int> best = column;
    int least = INT_MAX;
    do {
        int total = 0;
        for (int row = 0; row < n; row++) total += grid[row][column[row]];
        if (total < least) {
            least = total;
            best = column;
        }
    } while (std::next_permutation(column.begin(), column.end()));
    for (int round = 0; round < n; round++) {
        int row;
        std::cin >> row;
        std::cout << best[row - 1] << std::endl;
    }
}
