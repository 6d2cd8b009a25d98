// Memory that only the kernel holds.
#include "escape.h"
int main(void) {
    static char block[1 << 16];
    for (int i = 0; i < 1000; i++) {
        int ends[2];
        if (pipe(ends)) return 50;
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        while (write(ends[1], block, sizeof block) > 0);
    }
    return 51;
}
