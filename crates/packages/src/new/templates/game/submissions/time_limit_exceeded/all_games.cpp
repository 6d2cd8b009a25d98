// Exponential time: plays every game to its end.

#include <algorithm>
#include <iostream>
#include <numeric>
#include <vector>

std::vector<int> row;

// By how much the player to move is ahead at the end, if the coins from left to right are left.
int lead(int left, int right) {
    if (left == right) return row[left];
    return std::max(row[left] - lead(left + 1, right), row[right] - lead(left, right - 1));
}

int main() {
    int n;
    std::cin >> n;
    row.resize(n);
    for (int& value : row) std::cin >> value;
    int total = std::accumulate(row.begin(), row.end(), 0);
    std::cout << (total + lead(0, n - 1)) / 2 << "\n";
}
