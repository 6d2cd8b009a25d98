#include "escape.h"
int main(void) {
    int file = syscall(SYS_memfd_create, "x", 0);
    ftruncate(file, 32 << 10);
    for (;;) {
        off_t start = 0;
        if (splice(file, &start, 1, NULL, 32 << 10, 0) <= 0) return 50;
    }
}
