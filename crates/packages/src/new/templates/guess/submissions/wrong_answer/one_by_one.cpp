// Tries 1, 2, 3 and so on, which takes too many guesses.

#include <iostream>
#include <string>

int main() {
    std::string reply;
    std::cin >> reply;
    reply = "higher";
    for (int guess = 1; reply == "higher"; guess++) {
        std::cout << guess << std::endl; // which flushes
        if (!(std::cin >> reply)) return 0;
    }
}
