// Both players always take the larger coin.

#include <iostream>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::vector<int> row(n);
    for (int& value : row) std::cin >> value;

    int left = 0, right = n - 1;
    int totals[2] = {0, 0};
    for (int turn = 0; turn < n; turn++) {
        totals[turn % 2] += row[left] > row[right] ? row[left++] : row[right--];
    }
    std::cout << totals[0] << "\n";
}
