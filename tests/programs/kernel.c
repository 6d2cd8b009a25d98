// Makes the kernel hold as much for it as it can get. Its arguments name the kind, and the number of processes. Prints
// how many things these are, and keeps them until its input ends.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum { NAME_MEMORY = 0x53564d41 };

static char *reserve(size_t length) {
    return mmap(0, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static long hold(const char *kind) {
    long count = 0, own = getpid();
    char name[128], data[60000];
    int ends[2];
    memset(data, 'x', sizeof data);
    if (!strcmp(kind, "locks")) {
        int file = open("/tmp/locked", O_CREAT | O_RDWR, 0600);
        for (; count < 400000; count++) {
            struct flock lock = {.l_type = F_WRLCK, .l_start = 2 * count + own * 1000000, .l_len = 1};
            if (fcntl(file, F_SETLK, &lock)) break;
        }
    } else if (!strcmp(kind, "events")) {
        while (eventfd(0, 0) >= 0) count++;
    } else if (!strcmp(kind, "clocks")) {
        while (timerfd_create(CLOCK_MONOTONIC, 0) >= 0) count++;
    } else if (!strcmp(kind, "timers")) {
        timer_t timer;
        while (count < 30000 && !timer_create(CLOCK_MONOTONIC, 0, &timer)) count++;
    } else if (!strcmp(kind, "signals")) {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, 0);
        while (count < 100000 && !sigqueue(getpid(), 40, (union sigval){0})) count++;
    } else if (!strcmp(kind, "watches")) {
        int queues[300], files[400], made = 0, open = 0;
        while (made < 300 && (queues[made] = epoll_create1(0)) >= 0) made++;
        while (open < 400 && (files[open] = eventfd(0, 0)) >= 0) open++;
        for (int queue = 0; queue < made; queue++) {
            for (int file = 0; file < open; file++) {
                struct epoll_event event = {EPOLLIN};
                if (!epoll_ctl(queues[queue], EPOLL_CTL_ADD, files[file], &event)) count++;
            }
        }
    } else if (!strcmp(kind, "pipes")) {
        while (!pipe2(ends, O_NONBLOCK)) {
            while (write(ends[1], data, 4096) > 0) {}
            count++;
        }
    } else if (!strcmp(kind, "sockets")) {
        while (!socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)) {
            while (send(ends[0], data, 4096, MSG_DONTWAIT) > 0) {}
            count++;
        }
    } else if (!strcmp(kind, "names")) {
        char *place = reserve(60000L * 8192);
        for (; count < 30000; count++) {
            memset(name, 'a', 79);
            name[79] = 0;
            name[sprintf(name, "%ld-%ld", own, count)] = 'a';
            if (prctl(NAME_MEMORY, 0, place + count * 8192, 4096, name)) break;
        }
    } else if (!strcmp(kind, "mappings")) {
        char *place = reserve(60000L * 8192);
        while (count < 30000 && !mprotect(place + count * 8192, 4096, PROT_READ)) count++;
    } else if (!strcmp(kind, "page-tables")) {
        int rights = PROT_READ, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        volatile char *place = mmap(0, 1L << 40, rights, flags, -1, 0);
        for (; place != MAP_FAILED && count < 20000; count++) (void)place[count << 21];
    } else if (!strcmp(kind, "filters")) {
        static struct sock_filter code[4000];
        for (int at = 0; at < 3999; at++) code[at] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
        code[3999] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        struct sock_fprog program = {4000, code};
        while (!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) count++;
    } else if (!strcmp(kind, "directories")) {
        sprintf(name, "/tmp/d%ld", own);
        mkdir(name, 0700);
        chdir(name);
        while (count < 100000 && !mkdir("d", 0700) && !chdir("d")) count++;
    } else if (!strcmp(kind, "missing-names")) {
        struct stat found;
        for (; count < 100000; count++) {
            sprintf(name, "/usr/lib/no-file-%ld-%ld", own, count);
            stat(name, &found);
        }
    } else if (!strcmp(kind, "links")) {
        char target[100];
        memset(target, 'x', 99);
        target[99] = 0;
        for (; count < 100000; count++) {
            sprintf(name, "/tmp/l%ld-%ld", own, count);
            if (symlink(target, name)) break;
        }
    } else if (!strcmp(kind, "attributes")) {
        sprintf(name, "/tmp/x%ld", own);
        int file = open(name, O_CREAT | O_RDWR, 0600);
        for (; count < 10000; count++) {
            sprintf(name, "user.a%ld", count);
            if (fsetxattr(file, name, data, sizeof data, 0)) break;
        }
    } else if (!strcmp(kind, "polls")) {
        static struct pollfd all[500];
        pipe(ends);
        for (int at = 0; at < 500; at++) all[at] = (struct pollfd){ends[0], POLLIN};
        if (fork() == 0) poll(all, 500, -1);
        count = 500;
    }
    return count;
}

int main(int argc, char **argv) {
    int processes = argc > 2 ? atoi(argv[2]) : 0, ends[2];
    long all = 0, count;
    char byte;
    pipe(ends);
    for (int number = 0; number < processes; number++) {
        if (fork() == 0) {
            count = hold(argv[1]);
            write(ends[1], &count, sizeof count);
            for (;;) pause();
        }
    }
    close(ends[1]);
    for (int number = 0; number < processes; number++) {
        if (read(ends[0], &count, sizeof count) != sizeof count) break;
        all += count;
    }
    printf("%ld\n", all);
    fflush(stdout);
    while (read(0, &byte, 1) > 0) {}
    return 0;
}
