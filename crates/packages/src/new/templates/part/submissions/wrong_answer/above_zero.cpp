// Takes the first number if no part has a sum above zero.

#include <iostream>

int main() {
    int n;
    std::cin >> n;
    long long value, here = 0, best = 0;
    int start = 1, first = 1, last = 1;
    for (int end = 1; end <= n; end++) {
        std::cin >> value;
        if (here < 0) here = 0, start = end;
        here += value;
        if (here > best) best = here, first = start, last = end;
    }
    std::cout << first << " " << last << "\n";
}
