#include <vector>
int main() {
    std::vector<long> all;
    for (;;) all.push_back(1);
}
