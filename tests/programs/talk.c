// Talks, or does not, step by step as its arguments say.
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#ifdef __linux__
#include <linux/futex.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
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
// Waits until a clock ends the wait, in one of many ways.
static void wait_by(const char *way, long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    struct itimerval once = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}};
    struct itimerspec timer = {.it_value = time};
    int ends[2];
    pipe(ends);
    struct pollfd nothing = {ends[0], POLLIN, 0};
    if (!strcmp(way, "alarm")) {
        alarm(milliseconds < 1000 ? 1 : milliseconds / 1000);
        pause();
    } else if (!strcmp(way, "setitimer")) {
        setitimer(ITIMER_REAL, &once, 0);
        read(ends[0], ends, 1);
    } else if (!strcmp(way, "timer_create")) {
        timer_t id;
        timer_create(CLOCK_MONOTONIC, 0, &id);
        timer_settime(id, 0, &timer, 0);
        pause();
    } else if (!strcmp(way, "timerfd")) {
        int clock = timerfd_create(CLOCK_MONOTONIC, 0);
        timerfd_settime(clock, 0, &timer, 0);
        read(clock, &timer, 8);
    } else if (!strcmp(way, "poll-timerfd")) {
        struct pollfd clock = {timerfd_create(CLOCK_MONOTONIC, 0), POLLIN, 0};
        timerfd_settime(clock.fd, 0, &timer, 0);
        poll(&clock, 1, -1);
    } else if (!strcmp(way, "epoll")) {
        struct epoll_event event;
        epoll_wait(epoll_create1(0), &event, 1, (int)milliseconds);
    } else if (!strcmp(way, "epoll-timerfd")) {
        struct epoll_event event = {EPOLLIN};
        int queue = epoll_create1(0), clock = timerfd_create(CLOCK_MONOTONIC, 0);
        timerfd_settime(clock, 0, &timer, 0);
        epoll_ctl(queue, EPOLL_CTL_ADD, clock, &event);
        epoll_wait(queue, &event, 1, -1);
    } else if (!strcmp(way, "poll")) {
        poll(&nothing, 1, (int)milliseconds);
    } else if (!strcmp(way, "ppoll")) {
        ppoll(&nothing, 1, &time, 0);
    } else if (!strcmp(way, "select")) {
        select(0, 0, 0, 0, &once.it_value);
    } else if (!strcmp(way, "pselect")) {
        pselect(0, 0, 0, 0, &time, 0);
    } else if (!strcmp(way, "futex")) {
        int word = 0;
        syscall(SYS_futex, &word, FUTEX_WAIT, 0, &time, 0, 0);
    } else if (!strcmp(way, "sigtimedwait")) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigprocmask(SIG_BLOCK, &set, 0);
        sigtimedwait(&set, 0, &time);
    } else if (!strcmp(way, "receive")) {
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
        setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &once.it_value, sizeof once.it_value);
        read(ends[0], &timer, 1);
    } else if (!strcmp(way, "other-timer")) {
        // A clock of another process ends the wait, by a signal that this one catches.
        int parent = getpid();
        signal(SIGUSR1, wake);
        if (fork() == 0) {
            nap(milliseconds);
            kill(parent, SIGUSR1);
            _exit(0);
        }
        pause();
    } else {
        nap(milliseconds);
    }
}

static void *wait_in_thread(void *way) {
    wait_by(way, 300);
    return 0;
}

// A thread with its own descriptors: for it, standard input is a clock.
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

// The remaining arguments of a process.
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
            // A child keeps everything open that this one has open.
            if (fork() == 0) {
                nap(1000000);
                _exit(0);
            }
        } else if (!strcmp(step, "leave")) {
            // A child does the same, and leaves the session; this one prints its number.
            int has_left[2];
            pipe(has_left);
            int child = fork();
            if (child == 0) {
                setsid();
                write(has_left[1], "x", 1);
                nap(60000);
                _exit(0);
            }
            read(has_left[0], line, 1);
            fprintf(stderr, "%d\n", child);
        } else if (!strcmp(step, "child")) {
            // A child does all that follows.
            int status, child = fork();
            if (child) {
                waitpid(child, &status, 0);
                return WEXITSTATUS(status);
            }
#ifdef __linux__
        } else if (!strcmp(step, "child-waits")) {
            // A child waits, and this one waits for its end.
            if (fork() == 0) {
                wait_by(word, 300);
                _exit(0);
            }
            wait(0);
            at++;
        } else if (!strcmp(step, "thread-waits")) {
            pthread_t other;
            pthread_create(&other, 0, wait_in_thread, (void *)word);
            pthread_join(other, 0);
            at++;
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
            // A thread does all that follows; the first thread is over.
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
