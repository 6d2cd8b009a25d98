// Prints what it finds of the marks that `mark.c` leaves: the same lines in every run of every judge.
#include "escape.h"
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>
#define CALL_STATMOUNT 457
#define CALL_LISTMOUNT 458
#define CALL_LISTNS 470

// Lines of a file, without those of locks that no run can have.
static void lines(const char *path) {
    char line[4096];
    FILE *file = fopen(path, "r");
    printf("%s: %s\n", path, file ? "there" : strerror(errno));
    while (file && fgets(line, sizeof line, file))
        if (!strstr(line, "OFDLCK")) printf("%s: %s", path, line);
    if (file) fclose(file);
}

// The number of uses of all visible keys.
static long uses(void) {
    char line[4096];
    long all = 0, some;
    FILE *keys = fopen("/proc/keys", "r");
    while (keys && fgets(line, sizeof line, keys))
        if (sscanf(line, "%*s %*s %ld", &some) == 1) all += some;
    if (keys) fclose(keys);
    return all;
}

static int keys_tell(void) {
    enum { MORE = 20 };
    int children[MORE];
    long before = uses();
    for (int child = 0; child < MORE; child++)
        if (!(children[child] = fork())) pause(), _exit(0);
    long after = uses();
    for (int child = 0; child < MORE; child++)
        if (children[child] > 0) kill(children[child], SIGKILL), waitpid(children[child], NULL, 0);
    return after - before >= MORE / 2;
}

int main(int argc, char **argv) {
    lines("/proc/self/cgroup"), lines("/proc/locks"), lines("/proc/sysvipc/shm");
    // Without namespaces these are the machine's.
    if (argc == 1) lines("/proc/net/unix");
    // Whether the uses of keys show more processes, again and again: other processes of the user come and go.
    int tells = 1;
    for (int time = 0; time < 5; time++) tells &= keys_tell();
    printf("a key tells of processes: %d\n", tells);
    timer_t timer;
    struct sigevent silent = {.sigev_notify = SIGEV_NONE};
    int timers = 0, ends[2];
    while (timers < 100 && !timer_create(CLOCK_MONOTONIC, &silent, &timer)) timers++;
    printf("timers: %d\n", timers);
    // Other programs of this user may have had too many for a moment.
    int size = 0;
    for (int time = 0; time < 500 && size < 65536; time++, usleep(1000)) {
        if (pipe(ends)) break;
        size = fcntl(ends[0], F_GETPIPE_SZ);
        close(ends[0]), close(ends[1]);
    }
    printf("a pipe of %d\n", size);
    static const char *files[] = {"/usr/bin/env", "/proc/self/exe", "/etc/passwd", "/dev/null", "/dev/zero", "/dev/full", "/dev/urandom"};
    for (unsigned index = 0; index < sizeof files / sizeof *files; index++) {
        int file = open(files[index], O_RDONLY);
        struct stat found = {0};
        char page[4096], names[100];
        unsigned char there[1];
        long flags = -1;
        fstat(file, &found);
        printf("%s: mode %o, attributes %zd", files[index], found.st_mode, flistxattr(file, names, sizeof names));
        printf(", flags %d %ld", ioctl(file, 0x80086601, &flags), flags);
        printf(", extents %d", ioctl(file, 0xc020662a, page));
        printf(", page %zd", preadv2(file, &(struct iovec){page, sizeof page}, 1, 0, RWF_NOWAIT));
        void *shown = mmap(NULL, sizeof page, PROT_READ, MAP_SHARED, file, 0);
        printf(", in memory %d\n", shown == MAP_FAILED ? -2 : mincore(shown, sizeof page, there));
    }
    uint64_t question[4] = {24, ~0ull, 0, 0}, answer[64];
    printf("mounts: %ld", syscall(CALL_LISTMOUNT, question, answer, 10, 0));
    question[1] = answer[0], question[2] = 2;
    printf(" %ld", syscall(CALL_STATMOUNT, question, answer, sizeof answer, 0));
    printf(" namespaces: %ld\n", syscall(CALL_LISTNS, (uint64_t[4]){32}, answer, 10, 0));
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0mark"};
    printf("name: %d\n", bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&name, sizeof name));
    printf("file: %d\n", open("/dev/shm/mark", O_RDONLY));
    printf("nice: %d %d\n", getpriority(PRIO_PROCESS, 0), getpriority(PRIO_PGRP, 0));
    char group[100] = "";
    FILE *session = fopen("/proc/self/autogroup", "r");
    if (session && fgets(group, sizeof group, session)) printf("session: %s", strchr(group, ' '));
}
