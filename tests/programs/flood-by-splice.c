#include "escape.h"
int main(void) {
    int file = syscall(SYS_memfd_create, "x", 0);
    int ends[2];
    ftruncate(file, 32 << 10);
    pipe(ends);
    for (;;) {
        off_t start = 0;
        if (splice(file, &start, ends[1], NULL, 32 << 10, 0) <= 0) return 51;
        if (splice(ends[0], NULL, 1, NULL, 32 << 10, 0) <= 0) return 50;
    }
}
