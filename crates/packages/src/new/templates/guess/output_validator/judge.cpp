// Answers the guesses of a submission: judge.cpp INPUT ANSWER FEEDBACK_DIR/
//
// Exit code 42: it found the number. 43: it did not, and judgemessage.txt says why. Anything else: a fault here.

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

const int MOST = 20; // guesses

std::string feedback;

[[noreturn]] void reject(const std::string& why) {
    std::ofstream(feedback + "/judgemessage.txt") << why << "\n";
    std::exit(43);
}

int main(int, char** words) {
    std::signal(SIGPIPE, SIG_IGN); // who has ended does not listen
    feedback = words[3];
    long long n, x;
    std::ifstream(words[1]) >> n >> x;
    std::cout << n << std::endl; // which flushes
    for (int number = 1; number <= MOST; number++) {
        std::string word;
        if (!(std::cin >> word)) reject("guess number " + std::to_string(number) + " is missing");
        bool is_number = word.size() <= 7 && word.find_first_not_of("0123456789") == std::string::npos;
        long long guess = is_number ? std::stoll(word) : 0;
        if (guess < 1 || guess > n) {
            reject("guess number " + std::to_string(number) + " is not between 1 and " + std::to_string(n) + ": " + word);
        }
        if (guess == x) {
            std::cout << "right" << std::endl;
            if (std::cin >> word) reject("more after the right guess: " + word);
            return 42;
        }
        std::cout << (guess < x ? "higher" : "lower") << std::endl;
    }
    reject(std::to_string(x) + " was not among " + std::to_string(MOST) + " guesses");
}
