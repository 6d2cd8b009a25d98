// Mistake: answers a row with the row of that column, the inverse of the assignment.

#include <algorithm>
#include <iostream>
#include <numeric>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::vector<std::vector<int>> grid(n, std::vector<int>(n));
    for (auto& row : grid)
        for (int& value : row) std::cin >> value;
    std::vector<int> row_of(n), best;
    std::iota(row_of.begin(), row_of.end(), 0);
    int least = 0;
    do {
        int total = 0;
        for (int column = 0; column < n; column++) total += grid[row_of[column]][column];
        if (best.empty() || total < least) {
            least = total;
            best = row_of;
        }
    } while (std::next_permutation(row_of.begin(), row_of.end()));
    for (int round = 0; round < n; round++) {
        int row;
        std::cin >> row;
        std::cout << best[row - 1] + 1 << std::endl;
    }
}
