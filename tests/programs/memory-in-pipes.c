// Memory that only the kernel holds: in pipes and, since few of those are allowed, in sockets.
#include "escape.h"
#include <sys/socket.h>
static void fill(int end) {
    static char block[1 << 16];
    fcntl(end, F_SETFL, O_NONBLOCK);
    while (write(end, block, sizeof block) > 0);
}
int main(void) {
    for (int i = 0; i < 1000; i++) {
        int ends[2];
        if (i % 2 ? pipe(ends) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 50;
        fill(ends[1]);
        if (i % 2 == 0) fill(ends[0]);
    }
    return 51;
}
