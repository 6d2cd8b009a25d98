// Sockets in flight in each other, five hundred deep, and the last of them in itself. The kernel collects them one
// after the other, long after the program has ended. With the rest in them, as many descriptors as possible are in
// flight.
#include "escape.h"

#define AT_ONCE 253

static void send_to(int socket, const int *descriptors, size_t count) {
    static char byte, space[CMSG_SPACE(AT_ONCE * sizeof(int))];
    struct iovec data = {&byte, 1};
    size_t length = count * sizeof *descriptors;
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = CMSG_SPACE(length)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){.cmsg_len = CMSG_LEN(length), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(header), descriptors, length);
    sendmsg(socket, &message, 0);
}

int main(void) {
    int ends[2], many[AT_ONCE], inner = -1;
    close(open("out", O_CREAT | O_WRONLY, 0644));
    for (int place = 0; place < AT_ONCE; place++) many[place] = 2;
    for (int depth = 0; depth < 515; depth++) {
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
        if (depth) send_to(ends[0], &inner, 1); else send_to(ends[0], many, AT_ONCE);
        close(inner), close(ends[0]), inner = ends[1];
    }
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    many[0] = ends[0], many[1] = ends[1], many[2] = inner;
    send_to(ends[0], many, AT_ONCE);
}
