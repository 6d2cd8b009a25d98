// Checks a row of a test group: longest.cpp MOST. No row of the group has more than MOST numbers.

#include <cstdlib>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>

// Writes the row as it must be and compares.
bool is_row(const std::string& text, int most) {
    std::istringstream words(text);
    std::ostringstream shown;
    long long n, number;
    if (!(words >> n) || n < 1 || n > most) return false;
    shown << n << "\n";
    for (int i = 0; i < n; i++) {
        if (!(words >> number) || number < -1000000 || number > 1000000) return false;
        shown << number << (i == n - 1 ? "\n" : " ");
    }
    return text == shown.str();
}

int main(int count, char** words) {
    int most = count > 1 ? std::atoi(words[1]) : 20000;
    std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    return is_row(text, most) ? 42 : 43;
}
