// Gives sockets filters of their own. Nobody is charged for most of such a filter's memory, and sockets that were closed
// before a listener accepted them keep theirs.
#include "escape.h"
#include <linux/filter.h>

int main(void) {
    static struct sock_filter steps[4096];
    struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
    for (int step = 0; step < 4096; step++) steps[step] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
    int ends[2] = {-1, -1}, number = 3;
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    refused("a filter", setsockopt(ends[0], SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter), EPERM);
    refused("an extended filter", setsockopt(ends[0], SOL_SOCKET, SO_ATTACH_BPF, &number, sizeof number), EPERM);
    refused("a filter of a group", setsockopt(ends[0], SOL_SOCKET, 51, &filter, sizeof filter), EPERM);
    refused("an extended one", setsockopt(ends[0], SOL_SOCKET, 52, &number, sizeof number), EPERM);
}
