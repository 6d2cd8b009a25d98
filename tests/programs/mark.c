// Leaves marks by every means that once reached another run, and keeps them for a while. `seek.c` searches for them.
#include "escape.h"
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>

int main(void) {
    // Keys: each process refers to the keyring of its session once more.
    for (int number = 0; number < 20; number++)
        if (!fork()) pause(), _exit(0);
    // What is counted for a user.
    timer_t timer;
    struct sigevent silent = {.sigev_notify = SIGEV_NONE};
    while (!timer_create(CLOCK_MONOTONIC, &silent, &timer));
    for (int number = 0, ends[2]; number < 64 && !pipe(ends); number++);
    // Files that all see.
    static const char *files[] = {"/usr/bin/env", "/proc/self/exe", "/etc/passwd", "/dev/null", "/dev/zero", "/dev/full", "/dev/urandom"};
    for (unsigned index = 0; index < sizeof files / sizeof *files; index++) {
        int file = open(files[index], O_RDONLY);
        struct flock lock = {.l_type = F_RDLCK, .l_len = 1};
        long flags = 0x40;
        char page[4096];
        fcntl(file, F_SETLK, &lock), futimens(file, NULL), fchmod(file, 0700), fsetxattr(file, "user.mark", "x", 1, 0);
        ioctl(file, 0x40086602, &flags), ioctl(file, 0xc020662a, page), posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
        preadv2(file, &(struct iovec){page, sizeof page}, 1, 0, RWF_NOWAIT), fcntl(file, 1036, &(uint64_t){3});
        void *shown = mmap(NULL, sizeof page, PROT_READ, MAP_SHARED, file, 0);
        if (shown != MAP_FAILED) madvise(shown, sizeof page, 21);
    }
    // Names.
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0mark"};
    bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&name, sizeof name);
    close(open("/dev/shm/mark", O_CREAT | O_RDWR, 0666));
    // Settings of a session.
    setsid(), setpgid(0, 1), setpriority(PRIO_USER, 0, 10), setpriority(PRIO_PGRP, 0, 10);
    write(open("/proc/self/autogroup", O_WRONLY), "10", 2);
    puts("marked");
    fflush(stdout);
    sleep(1);
    kill(0, SIGKILL);
}
