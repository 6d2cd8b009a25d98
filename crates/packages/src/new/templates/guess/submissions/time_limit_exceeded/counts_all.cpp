// Compares every possible guess with every possible number to find the guess that halves them.

#include <algorithm>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::vector<int> possible(n);
    std::iota(possible.begin(), possible.end(), 1);
    std::string reply;
    while (reply != "right") {
        long long least = -1;
        int best = 0;
        for (int guess : possible) {
            auto is_smaller = [&](int number) { return number < guess; };
            long long smaller = std::count_if(possible.begin(), possible.end(), is_smaller);
            long long unevenness = std::abs((long long)possible.size() - 2 * smaller - 1);
            if (least < 0 || unevenness < least) least = unevenness, best = guess;
        }
        std::cout << best << std::endl; // which flushes
        if (!(std::cin >> reply)) return 0;
        std::erase_if(possible, [&](int number) { return reply == "higher" ? number <= best : number >= best; });
    }
}
