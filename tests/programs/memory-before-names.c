// Holds more memory than it may, frees it, and then looks for files that are not there: the kernel remembers each name.
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    size_t length = 40 << 20;
    char *food = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < length; i += 4096) food[i] = 1;
    munmap(food, length);
    char name[256];
    for (int i = 0; i < 100000; i++) {
        snprintf(name, sizeof name, "/usr/share/%0200d", i);
        if (!access(name, F_OK)) return 1;
    }
    return 0;
}
