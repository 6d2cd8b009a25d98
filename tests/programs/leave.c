// Leaves one trace for the next run, as its argument says; most are removed at once.
#include "escape.h"
#include <dirent.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <sys/timerfd.h>

#define CALL_LANDLOCK_RULES 444
#define CALL_LANDLOCK_RESTRICT 446
#define CALL_FILE_SETATTR 469

static const char *what, *place;

static int is(const char *name) { return !strcmp(what, name); }

static void *nothing(void *given) { return given; }

static const char *in_place(const char *name) {
    static char path[2][100];
    static int next;
    next = !next;
    snprintf(path[next], sizeof path[next], "%s/%s", place, name);
    return path[next];
}

static void send_to_itself(int descriptor) {
    int ends[2];
    char byte = 0, space[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    sendmsg(ends[0], &message, 0);
}

// After the program's end nobody has these sockets: each is in flight in the other.
static void lose(int descriptor) {
    int ends[2], sent[3] = {0, 0, descriptor};
    char byte = 0, space[CMSG_SPACE(sizeof sent)] = {0};
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    sent[0] = ends[0], sent[1] = ends[1];
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof sent), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(header), sent, sizeof sent);
    sendmsg(ends[0], &message, 0), sendmsg(ends[1], &message, 0);
}

static void in_the_place(void) {
    if (is("file")) close(open(in_place("x"), O_CREAT | O_WRONLY, 0600));
    if (is("file-taken-back")) close(open(in_place("x"), O_CREAT | O_WRONLY, 0600)), unlink(in_place("x"));
    if (is("exclusive-file")) open(in_place("x"), O_CREAT | O_EXCL | O_WRONLY, 0), unlink(in_place("x"));
    if (is("large-file")) {
        static char block[1 << 20];
        int file = open(in_place("x"), O_CREAT | O_WRONLY, 0600);
        for (int mebibyte = 0; mebibyte < 8; mebibyte++) write(file, block, sizeof block);
        unlink(in_place("x"));
    }
    if (is("directory")) mkdir(in_place("d"), 0700), rmdir(in_place("d"));
    if (is("link")) symlink("y", in_place("l")), unlink(in_place("l"));
    if (is("long-link")) {
        static char target[4000];
        memset(target, 'x', sizeof target - 1);
        symlink(target, in_place("l")), unlink(in_place("l"));
    }
    if (is("fifo")) mkfifo(in_place("f"), 0600), unlink(in_place("f"));
    if (is("socket")) {
        struct sockaddr_un name = {.sun_family = AF_UNIX};
        strcpy(name.sun_path, in_place("s"));
        int listener = socket(AF_UNIX, SOCK_STREAM, 0);
        bind(listener, (void *)&name, sizeof name), listen(listener, 1), unlink(in_place("s"));
    }
    if (is("mode")) chmod(place, 0700);
    if (is("mode-and-back")) {
        struct stat before;
        stat(place, &before);
        chmod(place, 0700), usleep(30000), chmod(place, before.st_mode & 07777);
    }
    if (is("times")) utimensat(AT_FDCWD, place, (struct timespec[2]){{1, 1}, {2, 2}}, 0);
    if (is("access-time")) utimensat(AT_FDCWD, place, (struct timespec[2]){{1, 1}, {0, UTIME_OMIT}}, 0);
    if (is("attribute")) setxattr(place, "user.trace", "x", 1, 0);
    if (is("access-list")) {
        // Version 2; entries: owner, group, others, with all rights.
        static const uint32_t list[] = {2, 1u | 7u << 16, ~0u, 4u | 7u << 16, ~0u, 32u | 7u << 16, ~0u};
        setxattr(place, "system.posix_acl_default", list, sizeof list, 0);
        setxattr(place, "system.posix_acl_access", list, sizeof list, 0);
    }
    if (is("flags")) syscall(CALL_FILE_SETATTR, AT_FDCWD, place, (uint64_t[3]){0x40}, 24, 0);
    if (is("listed")) readdir(opendir(place));
    if (is("locked")) {
        struct flock lock = {.l_type = F_RDLCK};
        fcntl(open(place, O_RDONLY), F_SETLK, &lock);
    }
    if (is("opened-and-sent")) send_to_itself(open(place, O_RDONLY));
    if (is("referred-to-and-sent")) send_to_itself(open(place, O_PATH));
    if (is("unnamed-file")) {
        open(place, O_TMPFILE | O_RDWR, 0600);
        // The kernel refuses this after it has created the file.
        open(place, O_TMPFILE | O_RDWR | O_DIRECT, 0600);
        uint64_t handled[] = {1 << 1}, how[] = {O_TMPFILE | O_RDWR, 0600, 0};
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        syscall(CALL_LANDLOCK_RESTRICT, syscall(CALL_LANDLOCK_RULES, handled, 8, 0), 0);
        open(place, O_TMPFILE | O_RDWR, 0600);
        syscall(437, AT_FDCWD, place, how, sizeof how);
    }
    if (is("missed")) {
        struct stat found;
        stat(in_place("none"), &found), access(in_place("none"), F_OK), open(in_place("none"), O_RDONLY);
        open(in_place("none/none"), O_CREAT, 0600), stat(place, &found), chdir(place);
    }
}

// What a program does to its input file and to its output file, if it knows them.
static void with_the_files(const char *given, const char *wanted) {
    if (is("wanted-not-written")) return;
    if (is("wanted-is-a-directory")) { mkdir(wanted, 0700); return; }
    if (is("wanted-is-a-fifo")) { mkfifo(wanted, 0600); return; }
    if (is("wanted-is-a-link")) { symlink(given, wanted); return; }
    if (is("wanted-is-the-given")) { link(given, wanted); return; }
    if (is("given-moved-to-wanted")) { rename(given, wanted); return; }
    int file = open(wanted, O_CREAT | O_RDWR | O_TRUNC, 0644);
    write(file, "1\n", 2);
    if (is("wanted-twice")) write(open(wanted, O_CREAT | O_WRONLY | O_TRUNC, 0600), "22\n", 3);
    if (is("wanted-made-again")) unlink(wanted), file = open(wanted, O_CREAT | O_RDWR, 0644);
    if (is("wanted-moved-there")) rename(wanted, in_place("x")), rename(in_place("x"), wanted);
    if (is("wanted-has-two-names")) link(wanted, in_place("x"));
    if (is("wanted-is-large")) ftruncate(file, 1 << 20);
    if (is("wanted-is-locked")) flock(file, LOCK_EX), fchmod(file, 0), fsetxattr(file, "user.trace", "x", 1, 0);
    if (is("wanted-is-mapped")) memset(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), '3', 2);
    if (is("wanted-was-sent")) send_to_itself(file);
    if (is("wanted-was-lost")) lose(file);
    if (is("links-that-failed")) {
        // If no room is left, the kernel takes a number for a long link before it finds no room for its text.
        static char block[1 << 20], target[4000];
        int other = open(given, O_RDWR);
        signal(SIGXFSZ, SIG_IGN);
        while (write(file, block, sizeof block) > 0 || write(other, block, sizeof block) > 0);
        memset(target, 'x', sizeof target - 1);
        for (int number = 0; number < 7; number++)
            if (!symlink(target, in_place("l"))) escaped("a link where there is no room");
        ftruncate(file, 2), ftruncate(other, 2);
    }
    if (is("given-is-read")) for (int time = 0; time < 50; time++) read(open(given, O_RDONLY), (char[9]){0}, 9);
    if (is("given-is-changed")) write(open(given, O_RDWR | O_TRUNC), "changed", 7), chmod(given, 0777), utimensat(AT_FDCWD, given, NULL, 0);
    if (is("given-is-removed")) unlink(given);
    if (is("same-name-elsewhere")) close(open("/tmp/a.out", O_CREAT | O_RDWR, 0600));
}

static void with_processes(void) {
    if (is("fork") && !fork()) _exit(0);
    if (is("vfork") && !vfork()) _exit(0);
    if (is("forks-waited-for")) {
        for (int number = 0; number < 20; number++)
            if (fork()) wait(NULL); else _exit(0);
    }
    pthread_t thread;
    if (is("thread")) pthread_create(&thread, NULL, nothing, NULL), pthread_join(thread, NULL);
    if (is("orphan") && !fork()) {
        setsid();
        if (!fork()) sleep(1000);
        _exit(0);
    }
    // A child of PID 1, not of this process.
    if (is("sister")) {
        static char stack[1 << 16];
        clone((int (*)(void *))pause, stack + sizeof stack, CLONE_PARENT | SIGCHLD, NULL);
    }
}

static void at_pid_1(void) {
    if (is("slow-pid-1")) {
        setpriority(PRIO_PROCESS, 1, 15);
        sched_setscheduler(1, SCHED_IDLE, &(struct sched_param){0});
    }
    if (is("slow-user")) setpriority(PRIO_USER, getuid(), 12);
    if (is("slow-disks")) syscall(SYS_ioprio_set, 1, 1, 3 << 13);
    if (is("signals")) {
        for (int number = 1; number <= 64; number++)
            for (int time = 0; time < 50; time++) sigqueue(1, number, (union sigval){.sival_int = time});
    }
    if (is("signal-by-descriptor")) {
        int ends[2];
        pipe(ends);
        fcntl(ends[0], F_SETOWN, 1), fcntl(ends[0], F_SETSIG, 40), fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
        write(ends[1], "x", 1);
    }
    static const char *files[] = {"oom_score_adj", "timerslack_ns", "coredump_filter", "autogroup", "comm", "loginuid"};
    for (int index = 0; is("files-of-pid-1") && index < 6; index++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/1/%s", files[index]);
        if (write(open(path, O_WRONLY), "5", 1) == 1) escaped(path);
    }
    if (is("timer-on-pid-1")) {
        timer_t timer;
        struct itimerspec soon = {{0, 1}, {0, 1}};
        if (!timer_create((clockid_t)(~1u << 3 | 2), NULL, &timer)) timer_settime(timer, 0, &soon, NULL);
    }
}

static void elsewhere(void) {
    if (is("proc")) {
        static const char *files[] = {"cpuinfo", "meminfo", "loadavg", "uptime", "sys/kernel/ostype", "sys/fs/file-max", "net/unix"};
        char path[64], buffer[4096];
        struct stat found;
        for (int index = 0; index < 7; index++) {
            snprintf(path, sizeof path, "/proc/%s", files[index]);
            stat(path, &found), read(open(path, O_RDONLY), buffer, sizeof buffer);
        }
        DIR *all = opendir("/proc");
        for (struct dirent *entry; (entry = readdir(all));) fstatat(dirfd(all), entry->d_name, &found, 0);
        readlink("/proc/self", buffer, sizeof buffer), readlink("/proc/thread-self", buffer, sizeof buffer);
        readlink("/proc/self/ns/pid", buffer, sizeof buffer);
    }
    if (is("own-settings")) {
        prctl(PR_SET_TIMERSLACK, 5000000, 0, 0, 0), prctl(PR_SET_NAME, "trace", 0, 0, 0), prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        setpriority(PRIO_PROCESS, 0, 5), umask(0), signal(SIGPIPE, SIG_IGN), alarm(1), setrlimit(RLIMIT_NOFILE, &(struct rlimit){20, 20});
        syscall(SYS_ioprio_set, 1, 0, 3 << 13);
    }
    if (is("name")) {
        struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0trace"};
        int listener = socket(AF_UNIX, SOCK_STREAM, 0);
        bind(listener, (void *)&name, sizeof name), listen(listener, 1);
    }
    if (is("lost-in-sockets")) lose(open("/proc/cpuinfo", O_RDONLY)), lose(open("/proc/sys/kernel/ostype", O_RDONLY));
    if (is("locked-device")) {
        struct flock lock = {.l_type = F_WRLCK};
        fcntl(open("/dev/null", O_RDWR), F_SETLK, &lock);
    }
    if (is("names-of-nothing")) {
        // For each name the kernel keeps some memory, until others need it.
        char path[300];
        struct stat found;
        for (int number = 0; number < 100000; number++) snprintf(path, sizeof path, "/usr/%0200d", number), stat(path, &found);
    }
    if (is("memory-file")) write(syscall(SYS_memfd_create, "trace", 0), "x", 1);
    if (is("memory")) memset(malloc(20 << 20), 1, 20 << 20);
    if (is("output")) puts("some output");
    if (is("exit-3")) exit(3);
    if (is("kill")) raise(SIGKILL);
    if (is("abort")) abort();
    if (is("sleep")) usleep(50000);
}

int main(int argc, char **argv) {
    what = argv[1], place = argc > 2 ? argv[2] : "/box";
    if (argc > 4) with_the_files(argv[3], argv[4]);
    in_the_place(), with_processes(), at_pid_1(), elsewhere();
}
