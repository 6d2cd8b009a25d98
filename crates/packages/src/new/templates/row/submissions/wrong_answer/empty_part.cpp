// Takes a part without numbers for the best one if all numbers are negative.

#include <algorithm>
#include <iostream>

int main() {
    int n;
    std::cin >> n;
    long long value, here = 0, best = 0;
    for (int i = 0; i < n; i++) {
        std::cin >> value;
        here = std::max(here + value, 0LL);
        best = std::max(best, here);
    }
    std::cout << best << "\n";
}
