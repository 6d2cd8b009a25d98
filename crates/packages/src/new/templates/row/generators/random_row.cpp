// Prints a row of random numbers: random_row.cpp LENGTH LEAST MOST SEED.

#include <cstdlib>
#include <iostream>
#include <random>

int main(int, char** words) {
    long long length = std::atoll(words[1]), least = std::atoll(words[2]), most = std::atoll(words[3]);
    std::mt19937_64 random(std::atoll(words[4]));
    std::cout << length << "\n";
    for (int i = 0; i < length; i++) {
        // Distributions of the standard library differ between compilers; this is the same on every machine.
        std::cout << least + (long long)(random() % (most - least + 1)) << " \n"[i == length - 1];
    }
}
