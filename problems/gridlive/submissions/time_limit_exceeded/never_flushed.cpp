// Mistake: columns are not flushed. Reading from another stream than `std::cin` does not flush them either.

#include <algorithm>
#include <climits>
#include <cstdio>
#include <iostream>
#include <numeric>
#include <vector>

int main() {
    int n;
    scanf("%d", &n);
    std::vector<std::vector<int>> grid(n, std::vector<int>(n));
    for (auto& row : grid)
        for (int& value : row) scanf("%d", &value);
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
        scanf("%d", &row);
        std::cout << best[row - 1] + 1 << '\n';
    }
}
