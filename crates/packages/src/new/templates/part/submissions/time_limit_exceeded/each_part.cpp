// Cubic time: adds up every part of the row from scratch.

#include <iostream>
#include <limits>
#include <numeric>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::vector<long long> row(n);
    for (long long& value : row) std::cin >> value;

    long long best = std::numeric_limits<long long>::min();
    int first = 0, last = 0;
    for (int start = 0; start < n; start++) {
        for (int end = start + 1; end <= n; end++) {
            long long sum = std::accumulate(row.begin() + start, row.begin() + end, 0LL);
            if (sum > best) best = sum, first = start + 1, last = end;
        }
    }
    std::cout << first << " " << last << "\n";
}
