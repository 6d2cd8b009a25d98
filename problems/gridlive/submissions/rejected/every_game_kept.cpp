// Keeps every order of the rows with every order of the columns: more than memory holds for eight of each.
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
    std::size_t orders = 1;
    for (int i = 2; i <= n; ++i) orders *= i;
    std::vector<int> totals(orders * orders);
    std::vector<int> order(n), best;
    std::iota(order.begin(), order.end(), 0);
    std::size_t number = 0;
    int least = 1'000'000;
    do {
        int total = 0;
        for (int i = 0; i < n; ++i) total += a[i][order[i]];
        totals[number * orders + number] = total;
        ++number;
        if (total < least) least = total, best = order;
    } while (std::next_permutation(order.begin(), order.end()));
    for (int round = 0; round < n; ++round) {
        int row;
        std::cin >> row;
        std::cout << best[row - 1] + 1 << std::endl;
    }
}
