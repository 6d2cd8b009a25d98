// Starts with a total of zero as the worst, and never finds a smaller one that is not negative; and then answers the diagonal.
#include <algorithm>
#include <iostream>
#include <numeric>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::vector<std::vector<int>> a(n, std::vector<int>(n));
    for (auto& row : a)
        for (int& value : row) std::cin >> value;
    std::vector<int> order(n), best(n);
    std::iota(order.begin(), order.end(), 0);
    best = order;
    int least = 0;
    do {
        int total = 0;
        for (int i = 0; i < n; ++i) total += a[i][order[i]];
        if (total < least) least = total, best = order;
    } while (std::next_permutation(order.begin(), order.end()));
    for (int round = 0; round < n; ++round) {
        int row;
        std::cin >> row;
        std::cout << best[row - 1] + 1 << std::endl;
    }
}
