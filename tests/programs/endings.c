// Ends in the way that its first argument names.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int set_timers(int most) {
    timer_t timer;
    struct sigevent silent = {.sigev_notify = SIGEV_NONE};
    for (int number = 0; number < most; number++)
        if (timer_create(CLOCK_MONOTONIC, &silent, &timer)) return 1;
    return 0;
}

static void write_to_closed_pipe(void) {
    int ends[2];
    if (pipe(ends)) exit(90);
    close(ends[0]);
    write(ends[1], "x", 1);
}

static void fill_file(void) {
    FILE *file = fopen("large", "w");
    static char block[1 << 16];
    while (file) fwrite(block, 1, sizeof block, file);
}

static int dive(int depth) {
    volatile char room[4096];
    room[0] = (char)depth;
    return dive(depth + 1) + room[0];
}

// Holds this many megabytes of stack at once.
static int descend(int megabytes) {
    volatile char room[1 << 20];
    for (unsigned i = 0; i < sizeof room; i += 4096) room[i] = (char)megabytes;
    return megabytes > 1 ? descend(megabytes - 1) + room[0] - room[4096] : 0;
}

// Opens this many descriptors beyond those that it started with.
static int open_many(int wanted) {
    for (int i = 0; i < wanted; i++)
        if (dup(0) < 0) return 1;
    return 0;
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "exit")) exit(atoi(argv[2]));
    if (!strcmp(how, "is-open")) exit(fcntl(atoi(argv[2]), F_GETFD) >= 0 ? 1 : 0);
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "raise")) raise(atoi(argv[2]));
    if (!strcmp(how, "segv")) *(volatile int *)8 = 1;
    if (!strcmp(how, "divide")) {
        volatile int one = 1, zero = 0;
        return one / zero;
    }
    if (!strcmp(how, "pipe")) write_to_closed_pipe();
    if (!strcmp(how, "large-file")) fill_file();
    if (!strcmp(how, "alarm")) {
        alarm(1);
        pause();
    }
    if (!strcmp(how, "dive")) return dive(0);
    if (!strcmp(how, "descend")) return descend(atoi(argv[2]));
    if (!strcmp(how, "open")) return open_many(atoi(argv[2]));
    if (!strcmp(how, "timers")) return set_timers(atoi(argv[2]));
    if (!strcmp(how, "close-output")) {
        puts("before");
        fflush(stdout);
        close(1);
        close(2);
        return 5;
    }
    if (!strcmp(how, "arguments"))
        for (int i = 2; i < argc; i++) printf("[%s]", argv[i]);
    if (!strcmp(how, "environment")) printf("%s", getenv(argv[2]) ? getenv(argv[2]) : "unset");
    if (!strcmp(how, "nice")) {
        printf("%d", getpriority(PRIO_PROCESS, 0));
        if (!setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) - 1)) printf(" less");
    }
    if (!strcmp(how, "mask")) {
        // Signals must arrive as outside of the sandbox: none blocked, none ignored.
        sigset_t blocked;
        sigprocmask(SIG_SETMASK, NULL, &blocked);
        for (int signal = 1; signal < 65; signal++) {
            struct sigaction action;
            if (sigismember(&blocked, signal) == 1) printf("%d is blocked\n", signal);
            if (!sigaction(signal, NULL, &action) && action.sa_handler != SIG_DFL)
                printf("%d is not at its default\n", signal);
        }
    }
    return 0;
}
