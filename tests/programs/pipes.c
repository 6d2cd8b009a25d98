// With "hold", opens as many pipes as it can, in many processes and in flight through sockets, prints a line, and
// keeps them open until its input ends, or with one more word for ever. With "look", waits for that line or the other
// program's end, then until it gets a whole pipe.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 12, AT_ONCE = 200 };

// Puts descriptors in flight, where nobody takes them, and closes them here.
static void send_away(int *fds, int count) {
    int ends[2];
    char room[CMSG_SPACE(AT_ONCE * sizeof(int))], byte = 0;
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = room};
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    memset(room, 0, sizeof room);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(head), fds, count * sizeof(int));
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return;
    if (sendmsg(ends[0], &message, MSG_DONTWAIT) < 0) return;
    for (int at = 0; at < count; at++) close(fds[at]);
}

static void fill(void) {
    int held[AT_ONCE], count = 0, ends[2];
    while (pipe(ends) == 0) {
        close(ends[1]);
        held[count++] = ends[0];
        if (count == AT_ONCE) {
            send_away(held, count);
            count = 0;
        }
    }
    if (count > 0) send_away(held, count);
    while (pipe(ends) == 0) close(ends[1]);
}

int main(int argc, char **argv) {
    char line[64];
    int ends[2], done[2];
    if (argc > 1 && !strcmp(argv[1], "look")) {
        fgets(line, sizeof line, stdin);
        for (;; usleep(1000)) {
            if (pipe(ends)) return 2;
            if (fcntl(ends[0], F_GETPIPE_SZ) == 65536) return 42;
            close(ends[0]), close(ends[1]);
        }
    }
    pipe(done);
    if (fcntl(done[0], F_SETPIPE_SZ, 1 << 20) > 0) puts("ESCAPED: a pipe of any size");
    if (argc < 2 || strcmp(argv[1], "hold")) return 0;
    for (int child = 0; child < CHILDREN; child++) {
        if (fork() == 0) {
            fill();
            write(done[1], "x", 1);
            for (;;) pause();
        }
    }
    for (int child = 0; child < CHILDREN; child++) read(done[0], line, 1);
    puts("ready");
    fflush(stdout);
    while (argc > 2) pause();
    while (read(0, line, sizeof line) > 0) {}
    return 0;
}
