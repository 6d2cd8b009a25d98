// Writes more than it may, then makes its output small again in the way that its first argument names, or in all ways.
// The second argument, in bytes, is what it writes; without one, until the kernel refuses more.
#include "escape.h"
#include <linux/filter.h>
#include <linux/seccomp.h>

#define CALL_OPENAT2 437
static char block[4096];
static long amount;

static void fill(int to) {
    signal(SIGXFSZ, SIG_IGN);
    long left = amount;
    do {
        ssize_t length = write(to, block, amount && left < sizeof block ? left : sizeof block);
        if (length <= 0) return;
        left -= length;
    } while (!amount || left > 0);
}

static void cut(int descriptor, const char *path, const char *how) {
    struct { uint64_t flags, mode, resolve; } flags = {O_WRONLY | O_TRUNC, 0, 0};
    if (!strcmp(how, "ftruncate")) ftruncate(descriptor, 0);
    if (!strcmp(how, "truncate")) truncate(path, 0);
    if (!strcmp(how, "open")) open(path, O_WRONLY | O_TRUNC);
    if (!strcmp(how, "read-only")) open(path, O_RDONLY | O_TRUNC);
#ifdef SYS_open
    if (!strcmp(how, "old-open")) syscall(SYS_open, path, O_WRONLY | O_TRUNC | O_CREAT, 0600);
    if (!strcmp(how, "creat")) syscall(SYS_creat, path, 0600);
#endif
    if (!strcmp(how, "openat2")) syscall(CALL_OPENAT2, AT_FDCWD, path, &flags, sizeof flags);
    if (!strcmp(how, "collapse")) fallocate(descriptor, 8, 0, 4096);
    if (!strcmp(how, "hole")) fallocate(descriptor, 3, 0, 1L << 40), ftruncate(descriptor, 0);
    lseek(descriptor, 0, SEEK_SET);
}

// A filter of the program's own that permits all, or would have a tracer decide.
static void filter_itself(int answer) {
    struct sock_filter step = BPF_STMT(BPF_RET | BPF_K, answer);
    struct sock_fprog filter = {1, &step};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

// Fills it by a copy of another file.
static void copy_to(int to) {
    signal(SIGXFSZ, SIG_IGN);
    int from = memfd_create("from", 0);
    for (int n = 0; n < 16; n++) write(from, block, sizeof block);
    for (loff_t at = 0; syscall(SYS_copy_file_range, from, &at, to, NULL, sizeof block, 0) > 0;) at = 0;
}

static void attack(const char *how) {
    char other[64];
    if (!strcmp(how, "child")) {
        if (!fork()) fill(1), cut(1, "/dev/stdout", "ftruncate"), _exit(0);
        wait(NULL);
    } else if (!strcmp(how, "parent")) {
        fill(1);
        snprintf(other, sizeof other, "/proc/%d/fd/1", getpid());
        if (!fork()) cut(1, other, "truncate"), _exit(0);
        wait(NULL);
    } else if (!strcmp(how, "thread-name")) {
        snprintf(other, sizeof other, "/proc/self/task/%d/fd/1", getpid());
        fill(1), cut(1, other, "open");
    } else if (!strcmp(how, "own-filter")) {
        filter_itself(SECCOMP_RET_ALLOW), fill(1), cut(1, NULL, "ftruncate");
    } else if (!strcmp(how, "own-tracer")) {
        fill(1);
        // Calls that reach the second filter alone fail.
        if (!fork()) filter_itself(SECCOMP_RET_TRACE), cut(1, NULL, "ftruncate"), _exit(0);
        wait(NULL);
    } else if (!strcmp(how, "raised")) {
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){1L << 40, 1L << 40}), fill(1), cut(1, NULL, "ftruncate");
    } else if (!strcmp(how, "copy")) {
        copy_to(1), cut(1, NULL, "ftruncate");
    } else if (!strcmp(how, "errors")) {
        fill(2), cut(2, "/dev/stderr", "open");
    } else if (!strcmp(how, "both")) {
        amount = amount ? amount : 40 << 10;
        fill(1), fill(2), cut(2, "/dev/stderr", "ftruncate"), cut(1, "/dev/stdout", "open");
        amount = 0;
    } else if (!strcmp(how, "offset")) {
        signal(SIGXFSZ, SIG_IGN);
        for (long at = 0; pwrite(1, "x", 1, at) > 0; at = at * 2 + 1);
        for (long at = 1L << 30; at; at /= 2)
            if (pwrite(1, "x", 1, lseek(1, 0, SEEK_END) + at - 1) > 0) at *= 2;
        cut(1, "/dev/stdout", "ftruncate");
    } else if (!strcmp(how, "grown")) {
        signal(SIGXFSZ, SIG_IGN);
        for (long size = 1L << 30; size; size /= 2)
            if (!ftruncate(1, lseek(1, 0, SEEK_END) + size)) size *= 2;
        cut(1, "/dev/stdout", "ftruncate");
    } else {
        fill(1), cut(1, "/dev/stdout", how);
    }
}

int main(int argc, char **argv) {
    static const char *ways[] = {"ftruncate", "truncate", "open", "read-only", "old-open", "creat", "openat2",
                                 "collapse", "hole", "child", "parent", "errors", "both", "offset", "grown",
                                 "thread-name", "own-filter", "own-tracer", "raised", "copy"};
    if (argc > 2) amount = atol(argv[2]);
    int known = 0;
    for (int way = 0; way < sizeof ways / sizeof *ways; way++)
        if (!strcmp(argv[1], ways[way])) attack(ways[way]), known = 1;
    for (int way = 0; way < sizeof ways / sizeof *ways && !known; way++) attack(ways[way]);
    write(1, "ok\n", 3);
    return 0;
}
