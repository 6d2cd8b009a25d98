// Cubic time: adds up every part of the row from scratch.

#include <algorithm>
#include <iostream>
#include <numeric>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::vector<long long> row(n);
    for (long long& value : row) std::cin >> value;

    long long best = row[0];
    for (int start = 0; start < n; start++) {
        for (int end = start + 1; end <= n; end++) {
            best = std::max(best, std::accumulate(row.begin() + start, row.begin() + end, 0LL));
        }
    }
    std::cout << best << "\n";
}
