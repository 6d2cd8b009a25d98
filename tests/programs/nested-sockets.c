// Sockets that lie in each other, seven hundred deep, and the last of them in itself: the kernel collects them one after the
// other, long after the program has ended.
#include "escape.h"

static void send_to(int socket, const int *descriptors, size_t count) {
    char byte = 0, space[CMSG_SPACE(3 * sizeof(int))] = {0};
    struct iovec data = {&byte, 1};
    size_t length = count * sizeof *descriptors;
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = CMSG_SPACE(length)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){.cmsg_len = CMSG_LEN(length), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(header), descriptors, length);
    sendmsg(socket, &message, 0);
}

int main(void) {
    int ends[2], inner = open("/dev/null", O_RDONLY);
    for (int depth = 0; depth < 700; depth++) {
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
        send_to(ends[0], &inner, 1);
        close(inner), close(ends[0]), inner = ends[1];
    }
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    send_to(ends[0], (int[]){ends[0], ends[1], inner}, 3);
}
