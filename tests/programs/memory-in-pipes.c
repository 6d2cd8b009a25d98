// Memory that only the kernel holds: in pipes, and where there are few of them in sockets.
#include "escape.h"
#include <sys/socket.h>
int main(void) {
    static char block[1 << 16];
    for (int i = 0; i < 1000; i++) {
        int ends[2];
        if (pipe(ends) && socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 50;
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        while (write(ends[1], block, sizeof block) > 0);
    }
    return 51;
}
