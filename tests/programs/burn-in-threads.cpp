#include <thread>
#include <vector>
int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 15; i++)
        threads.emplace_back([] { for (volatile unsigned long n = 0;; n = n + 1); });
    for (auto &thread : threads) thread.join();
}
