#include "escape.h"
#include <sys/sendfile.h>
int main(void) {
    int file = syscall(SYS_memfd_create, "x", 0);
    ftruncate(file, 32 << 10);
    for (;;) {
        off_t start = 0;
        if (sendfile(1, file, &start, 32 << 10) <= 0) return 50;
    }
}
