// Quadratic time: by how much the player to move is ahead at the end, for every interval of the row.

#include <algorithm>
#include <iostream>
#include <numeric>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::vector<int> row(n);
    for (int& value : row) std::cin >> value;

    // lead[start] is for the interval of the present length that begins there.
    std::vector<int> lead = row;
    for (int length = 2; length <= n; length++) {
        for (int start = 0; start + length <= n; start++) {
            int left = row[start] - lead[start + 1];
            int right = row[start + length - 1] - lead[start];
            lead[start] = std::max(left, right);
        }
    }
    int total = std::accumulate(row.begin(), row.end(), 0);
    std::cout << (total + lead[0]) / 2 << "\n";
}
