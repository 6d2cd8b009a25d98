// Descriptors in flight, which no process holds: all of a user's are counted together.
#include "escape.h"
int main(void) {
    int ends[2], null = open("/dev/null", O_RDONLY);
    long sent = 0;
    for (int round = 0; round < 200; round++) {
        if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)) break;
        for (;;) {
            char space[CMSG_SPACE(250 * sizeof(int))], byte = 0;
            struct iovec one = {&byte, 1};
            struct msghdr message = {.msg_iov = &one, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
            struct cmsghdr *header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS, header->cmsg_len = CMSG_LEN(250 * sizeof(int));
            for (int i = 0; i < 250; i++) ((int *)CMSG_DATA(header))[i] = null;
            if (sendmsg(ends[0], &message, MSG_DONTWAIT) < 0) break;
            sent += 250;
        }
        if (errno == ETOOMANYREFS) break;
    }
    if (sent > 1024) escaped("more descriptors on their way than the judge may have");
    for (;;) pause();
}
