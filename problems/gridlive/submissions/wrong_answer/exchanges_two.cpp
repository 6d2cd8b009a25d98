// Mistake: exchanges pairs of columns until no exchange helps, which can end beside the best.

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
    bool better = true;
    while (better) {
        better = false;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                if (grid[i][best[j]] + grid[j][best[i]] < grid[i][best[i]] + grid[j][best[j]]) {
                    std::swap(best[i], best[j]);
                    better = true;
                }
    }
    (void)least;
    for (int round = 0; round < n; round++) {
        int row;
        std::cin >> row;
        std::cout << best[row - 1] + 1 << std::endl;
    }
}
