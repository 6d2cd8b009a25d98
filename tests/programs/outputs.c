// Writes to its outputs in the way that its first argument names.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1 << 20)
static char block[MIB];

static void put(int to, const char *text) { write(to, text, strlen(text)); }

// Until the kernel refuses more.
static void fill(int to) {
    while (write(to, block, sizeof block) > 0);
}

static void put_mib(int to, long amount) {
    for (long n = 0; n < amount; n++)
        if (write(to, block, sizeof block) != sizeof block) _exit(90);
}

static volatile char *take_mib(long amount) {
    volatile char *food = malloc((size_t)amount << 20);
    for (size_t i = 0; i < (size_t)amount << 20; i += 4096) food[i] = 1;
    return food;
}

static void hold_mib(long amount) { free((void *)take_mib(amount)); }

// Writes all at once, without waiting, and ends when it would have to wait, as Node does after `process.exit()`.
static int put_and_leave(int to) {
    fcntl(to, F_SETFL, fcntl(to, F_GETFL) | O_NONBLOCK);
    for (long done = 0; done < MIB;) {
        ssize_t length = write(to, block + done, MIB - done);
        if (length < 0) _exit(errno == EAGAIN ? 0 : 91);
        done += length;
    }
    _exit(0);
}

// Fills its output beside memory, frees both, and then holds this much until it is ended.
static void hold_after(void (*empty)(void), long amount) {
    volatile char *beside = take_mib(30);
    for (int n = 0; n < 60; n++) put_mib(1, 1), usleep(1000);
    free((void *)beside);
    empty();
    take_mib(amount);
    pause();
}

static void cut(void) { ftruncate(1, 0); }

static void punch(void) { fallocate(1, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, 0, 60 * MIB); }

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    long amount = argc > 2 ? atol(argv[2]) : 0;
    memset(block, 'x', sizeof block);
    if (!strcmp(what, "leave")) return put_and_leave(1);
    if (!strcmp(what, "leave-errors")) return put_and_leave(2);
    if (!strcmp(what, "much")) put_mib(1, amount);
    if (!strcmp(what, "much-errors")) put_mib(2, amount);
    if (!strcmp(what, "memory-first")) hold_mib(amount), put_mib(1, 60);
    if (!strcmp(what, "memory-later")) put_mib(1, 60), hold_mib(amount);
    if (!strcmp(what, "cut")) hold_after(cut, amount);
    if (!strcmp(what, "punched")) hold_after(punch, amount);
    if (!strcmp(what, "seek")) {
        put(1, "12345\n");
        lseek(1, -3, SEEK_CUR);
        put(1, "9");
    }
    if (!strcmp(what, "truncate")) {
        put(1, "wrong");
        ftruncate(1, 0);
        lseek(1, 0, SEEK_SET);
        put(1, "right\n");
    }
    if (!strcmp(what, "again")) {
        put(1, "wrong");
        put(open("/dev/stdout", O_WRONLY | O_TRUNC), "right\n");
        put(open("/proc/self/fd/2", O_WRONLY | O_APPEND), "errors\n");
    }
    if (!strcmp(what, "children")) {
        // All processes share one position.
        for (int n = 0; n < 3; n++) {
            put(1, "parent\n");
            if (!fork()) {
                put(1, "child\n");
                _exit(0);
            }
            wait(NULL);
        }
    }
    if (!strcmp(what, "hole")) {
        lseek(1, amount, SEEK_SET);
        put(1, "x");
    }
    if (!strcmp(what, "size")) return ftruncate(1, amount) != 0;
    if (!strcmp(what, "deaf")) {
        // Goes on when no more can be written, as in languages that ignore the signal.
        signal(SIGXFSZ, SIG_IGN);
        fill(1);
        for (;;) pause();
    }
    if (!strcmp(what, "exit-deaf")) signal(SIGXFSZ, SIG_IGN), fill(1);
    if (!strcmp(what, "both")) put_mib(1, amount), put_mib(2, amount), pause();
    return 0;
}
