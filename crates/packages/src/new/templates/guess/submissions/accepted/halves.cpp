// Halves what is possible with each guess.

#include <iostream>
#include <string>

int main() {
    int n;
    std::cin >> n;
    int least = 1, most = n;
    std::string reply;
    while (reply != "right") {
        int guess = (least + most) / 2;
        std::cout << guess << std::endl; // which flushes
        if (!(std::cin >> reply)) return 0;
        if (reply == "higher") least = guess + 1;
        if (reply == "lower") most = guess - 1;
    }
}
