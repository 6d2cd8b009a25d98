// Judges a part of the row: check.cpp INPUT ANSWER FEEDBACK_DIR/ < OUTPUT
//
// Exit code 42: no part has a larger sum. 43: it is wrong, and judgemessage.txt says why. Anything else: a fault here
// or in the judge answer.

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

// Throws what is wrong with the output.
long long part_sum(const std::vector<long long>& row, std::istream& output) {
    std::string first, last, more;
    if (!(output >> first >> last)) throw std::runtime_error("expected two positions");
    if (output >> more) throw std::runtime_error("more after the two positions: " + more);
    auto position = [&](const std::string& word) {
        bool is_number = word.size() <= 5 && word.find_first_not_of("0123456789") == std::string::npos;
        std::size_t number = is_number ? std::stoul(word) : 0;
        if (number < 1 || number > row.size()) throw std::runtime_error("not a position in the row: " + word);
        return number;
    };
    std::size_t begin = position(first) - 1, end = position(last);
    if (begin >= end) throw std::runtime_error("the first position is after the last one");
    return std::accumulate(row.begin() + begin, row.begin() + end, 0LL);
}

int main(int, char** words) {
    std::ifstream input(words[1]), answer(words[2]);
    int n;
    input >> n;
    std::vector<long long> row(n);
    for (long long& value : row) input >> value;

    long long best = part_sum(row, answer);
    std::string why;
    try {
        long long sum = part_sum(row, std::cin);
        if (sum > best) {
            std::cerr << "the submission's part is better than the judge's\n";
            return 1;
        }
        if (sum == best) return 42;
        why = "the sum is " + std::to_string(sum) + ", but " + std::to_string(best) + " is possible";
    } catch (const std::runtime_error& error) {
        why = error.what();
    }
    std::ofstream(std::string(words[3]) + "/judgemessage.txt") << why << "\n";
    return 43;
}
