// Prints all that it can see of its environment that may differ between the first run of a slot and a later one. Its
// argument is a time in nanoseconds, by the clock that dates files: everything with an older date is named.
#include "escape.h"
#include <dirent.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

#define CALL_FILE_GETATTR 468

static long long begun;

static void date(const char *path, const char *what, struct timespec time) {
    if (time.tv_sec * 1000000000LL + time.tv_nsec < begun) printf("found %s: old %s\n", path, what);
}

static void dates(const char *path, int flags) {
    struct stat found;
    if (fstatat(AT_FDCWD, path, &found, flags)) return;
    date(path, "access", found.st_atim), date(path, "change", found.st_mtim), date(path, "status", found.st_ctim);
    struct statx more;
    if (!statx(AT_FDCWD, path, flags, STATX_BTIME, &more) && more.stx_mask & STATX_BTIME)
        date(path, "birth", (struct timespec){more.stx_btime.tv_sec, more.stx_btime.tv_nsec});
}

static void line_of(const char *path) {
    char line[4096] = "";
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) printf("%s: %s", path, line);
    if (file) fclose(file);
}

static void directory(const char *path) {
    struct stat found;
    char names[1000], name[100];
    stat(path, &found);
    printf("%s: mode %o owned %d links %ld size %ld blocks %ld number %ld attributes %zd\n", path, found.st_mode, found.st_uid == getuid(),
           (long)found.st_nlink, (long)found.st_size, (long)found.st_blocks, (long)found.st_ino, listxattr(path, names, sizeof names));
    struct { uint32_t words[64]; } more = {0};
    syscall(SYS_statx, AT_FDCWD, path, 0, 0x7ff, &more);
    printf("%s: flags %x %x", path, more.words[2], more.words[3]);
    uint64_t flags[3] = {0};
    long told = syscall(CALL_FILE_GETATTR, AT_FDCWD, path, flags, sizeof flags, 0);
    printf(" %ld %lx\n", told, (long)flags[0]);
    DIR *list = opendir(path);
    for (struct dirent *entry; list && (entry = readdir(list));) printf("%s holds %s\n", path, entry->d_name);
    // The numbers that the next two files get, and their positions.
    for (int number = 0; number < 2; number++) {
        snprintf(name, sizeof name, "%s/new-%d", path, number);
        int file = open(name, O_CREAT | O_WRONLY, 0600);
        if (file >= 0 && !fstat(file, &found)) printf("%s: number %ld\n", name, (long)found.st_ino);
    }
    if (list) rewinddir(list);
    for (struct dirent *entry; list && (entry = readdir(list));) printf("%s at %ld\n", entry->d_name, (long)entry->d_off);
}

// How much room there is.
static void sizes(const char *path) {
    struct statvfs found;
    if (!statvfs(path, &found))
        printf("%s: %lu blocks, %lu free, %lu files, %lu free\n", path, found.f_blocks, found.f_bfree, found.f_files, found.f_ffree);
}

// The mounts and their options, without the numbers that the kernel counts for the whole machine.
static void mounts(void) {
    char line[4096], place[1000], options[1000];
    FILE *file = fopen("/proc/self/mountinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "%*s %*s %*s %*s %999s %999s", place, options) == 2) printf("mounted on %s: %s\n", place, options);
}

static void pid_1(void) {
    struct sched_param parameters = {0};
    struct timespec time;
    printf("PID 1: nice %d, scheduler %d, disks %ld, signal %d\n", getpriority(PRIO_PROCESS, 1), sched_getscheduler(1),
           syscall(SYS_ioprio_get, 1, 1), kill(1, 0));
    printf("PID 1: clock %d", clock_gettime((clockid_t)(~1u << 3 | 2), &time));
    printf(" %d, descriptor %ld, group %d, session %d\n", clock_getres((clockid_t)(~1u << 3 | 1), &time),
           syscall(CALL_PIDFD_OPEN, 1, 0), getpgid(1), getsid(1));
}

static void itself(void) {
    struct rlimit limit;
    printf("nice %d, scheduler %d, disks %ld, slack %d, mask %o\n", getpriority(PRIO_PROCESS, 0), sched_getscheduler(0),
           syscall(SYS_ioprio_get, 1, 0), prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), umask(022));
    for (int kind = 0; kind < 16; kind++) getrlimit(kind, &limit), printf("limit %d %lx %lx\n", kind, limit.rlim_cur, limit.rlim_max);
    line_of("/proc/self/oom_score_adj");
    line_of("/proc/sysvipc/shm"), line_of("/proc/sysvipc/sem"), line_of("/proc/sysvipc/msg");
}

int main(int argc, char **argv) {
    begun = atoll(argv[1]);
    static const char *dated[] = {"/box", "/tmp", "/proc", "/proc/self", "/proc/thread-self", "/proc/cpuinfo", "/proc/meminfo", "/proc/loadavg",
                                  "/proc/uptime", "/proc/sys", "/proc/sys/kernel", "/proc/sys/kernel/ostype", "/proc/sys/fs/file-max", "/proc/net",
                                  "/proc/self/net/unix"};
    for (unsigned index = 0; index < sizeof dated / sizeof *dated; index++)
        dates(dated[index], AT_SYMLINK_NOFOLLOW), dates(dated[index], 0);
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; (entry = readdir(proc));) {
        char path[300];
        snprintf(path, sizeof path, "/proc/%s", entry->d_name);
        // Everything above belongs to the slot.
        if (strcmp(entry->d_name, "..")) dates(path, AT_SYMLINK_NOFOLLOW);
    }
    char load[100] = "";
    FILE *file = fopen("/proc/loadavg", "r");
    if (file && fgets(load, sizeof load, file)) printf("last process %s", strrchr(load, ' '));
    printf("process %d of %d, group %d, session %d\n", getpid(), getppid(), getpgid(0), getsid(0));
    sizes("/box"), sizes("/tmp"), directory("/box"), directory("/tmp"), mounts(), pid_1(), itself();
    int child = fork();
    if (!child) _exit(0);
    printf("next process %d\n", child);
}
