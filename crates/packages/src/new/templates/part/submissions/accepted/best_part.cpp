// Linear time: a part begins anew after a sum below zero.

#include <iostream>
#include <limits>

int main() {
    int n;
    std::cin >> n;
    long long value, here = 0, best = std::numeric_limits<long long>::min();
    int start = 1, first = 0, last = 0;
    for (int end = 1; end <= n; end++) {
        std::cin >> value;
        if (here < 0) here = 0, start = end;
        here += value;
        if (here > best) best = here, first = start, last = end;
    }
    std::cout << first << " " << last << "\n";
}
