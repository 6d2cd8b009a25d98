// Prints each number of buckets that a hash table of the library has while it grows.
#include <cstdio>
#include <unordered_set>

int main() {
    std::unordered_set<int> table;
    size_t buckets = 0;
    for (int key = 0; key < 1 << 20; key++) {
        table.insert(key);
        if (table.bucket_count() == buckets) continue;
        buckets = table.bucket_count();
        printf("%zu\n", buckets);
    }
    return 0;
}
