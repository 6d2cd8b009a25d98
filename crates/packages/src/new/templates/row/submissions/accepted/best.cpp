// Linear time: the best part that ends here is the best one that ended before, if that helps, and this number.

#include <algorithm>
#include <iostream>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::vector<long long> row(n);
    for (long long& value : row) std::cin >> value;

    long long here = row[0], best = here;
    for (int i = 1; i < n; i++) {
        here = std::max(here, 0LL) + row[i];
        best = std::max(best, here);
    }
    std::cout << best << "\n";
}
