// Prints n and a random number up to n: random_number.cpp N SEED.

#include <cstdlib>
#include <iostream>
#include <random>

int main(int, char** words) {
    long long n = std::atoll(words[1]);
    std::mt19937_64 random(std::atoll(words[2]));
    std::cout << n << " " << 1 + random() % n << "\n";
}
