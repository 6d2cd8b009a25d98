// Talks, or does not, step by step as its arguments say.
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#ifdef __linux__
#include <sched.h>
#include <sys/timerfd.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Reads a line, byte by byte; 0 at the end of the input.
static int hear(char *line, size_t room) {
    size_t length = 0;
    char byte;
    while (read(0, &byte, 1) == 1) {
        if (length + 1 < room) line[length++] = byte;
        if (byte == '\n') break;
    }
    line[length] = 0;
    return length > 0;
}

static void say(const char *text) {
    size_t length = strlen(text);
    if (write(1, text, length) != (ssize_t)length) fprintf(stderr, "cannot write\n");
}

static void nap(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, 0);
}

static void wake(int signal) {
    (void)signal;
    say("awake\n");
}

static void *lock_twice(void *nothing) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    return nothing;
}

static void flood(long long bytes) {
    static char block[1 << 16];
    memset(block, '1', sizeof block);
    while (bytes != 0) {
        size_t some = bytes < 0 || bytes > (long long)sizeof block ? sizeof block : (size_t)bytes;
        ssize_t written = write(1, block, some);
        if (written < 0) {
            fprintf(stderr, "cannot write\n");
            return;
        }
        if (bytes > 0) bytes -= written;
    }
}

#ifdef __linux__
// A thread of a process whose descriptors are its own: for it, standard input is a clock.
static int hear_a_clock(void *milliseconds) {
    long long ticks, wait = atoll(milliseconds) * 1000000;
    struct itimerspec once = {.it_value = {wait / 1000000000, wait % 1000000000}};
    int clock = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(clock, 0, &once, NULL);
    dup2(clock, 0);
    if (read(0, &ticks, sizeof ticks) == sizeof ticks) say("tick\n");
    return 0;
}
#endif

int main(int argc, char **argv);

// What is left of the arguments of a process.
struct steps {
    int count;
    char **words;
};

static void *go_on(void *given) {
    struct steps *steps = given;
    exit(main(steps->count, steps->words));
}

int main(int argc, char **argv) {
    static char line[1 << 16];
    for (int at = 1; at < argc; at++) {
        const char *step = argv[at];
        const char *word = at + 1 < argc ? argv[at + 1] : "";
        if (!strcmp(step, "say")) {
            say(word);
            at++;
        } else if (!strcmp(step, "buffer")) {
            printf("%s", word);
            at++;
        } else if (!strcmp(step, "hear")) {
            fprintf(stderr, "%s", hear(line, sizeof line) ? line : "end\n");
        } else if (!strcmp(step, "drain")) {
            long long all = 0;
            ssize_t some;
            while ((some = read(0, line, sizeof line)) > 0) all += some;
            fprintf(stderr, "%lld bytes\n", all);
        } else if (!strcmp(step, "many")) {
            for (int round = atoi(word); round > 0; round--) {
                say("ping\n");
                hear(line, sizeof line);
            }
            at++;
        } else if (!strcmp(step, "echo")) {
            while (hear(line, sizeof line)) say(line);
        } else if (!strcmp(step, "flood")) {
            flood(atoll(word));
            at++;
        } else if (!strcmp(step, "binary")) {
            for (int byte = 0; byte < 256; byte++) write(1, (char[]){(char)byte}, 1);
        } else if (!strcmp(step, "poll")) {
            struct pollfd input = {0, POLLIN, 0};
            poll(&input, 1, atoi(word));
            at++;
        } else if (!strcmp(step, "hold")) {
            // A child keeps all that this one has open.
            if (fork() == 0) {
                nap(1000000);
                _exit(0);
            }
        } else if (!strcmp(step, "child")) {
            // All that follows is done by a child.
            int status, child = fork();
            if (child) {
                waitpid(child, &status, 0);
                return WEXITSTATUS(status);
            }
#ifdef __linux__
        } else if (!strcmp(step, "other-input")) {
            static char stack[1 << 16];
            int flags = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
            clone(hear_a_clock, stack + sizeof stack, flags, (void *)word);
            at++;
#endif
        } else if (!strcmp(step, "orphan")) {
            // As before, but the child has another parent, and its old one waits for nothing.
            if (fork() == 0) {
                if (fork() == 0) continue;
                _exit(0);
            }
            wait(0);
            for (;;) pause();
        } else if (!strcmp(step, "from-a-thread")) {
            // All that follows is done by a thread; the first one is over.
            static struct steps rest;
            pthread_t other;
            rest = (struct steps){argc - at, argv + at};
            pthread_create(&other, 0, go_on, &rest);
            pthread_exit(0);
        } else if (!strcmp(step, "lock")) {
            pthread_t other;
            pthread_create(&other, 0, lock_twice, 0);
            pthread_join(other, 0);
        } else if (!strcmp(step, "alarm")) {
            signal(SIGALRM, wake);
            ualarm((unsigned)atoi(word) * 1000, 0);
            at++;
        } else if (!strcmp(step, "ask-myself")) {
            // Writes into its own input, if it can.
            FILE *input = fopen("/dev/stdin", "w");
            fprintf(stderr, input ? "opened\n" : "refused\n");
        } else if (!strcmp(step, "close-input")) {
            close(0);
        } else if (!strcmp(step, "close-output")) {
            close(1);
        } else if (!strcmp(step, "sleep")) {
            nap(atol(word));
            at++;
        } else if (!strcmp(step, "spin")) {
            for (volatile unsigned count = 0;; count++) {}
        } else if (!strcmp(step, "abort")) {
            abort();
        } else if (!strcmp(step, "exit")) {
            exit(atoi(word));
        } else {
            exit(99);
        }
    }
    return 0;
}
