// Tries to reach files and processes outside: a file given by name, its directory, and processes given by number.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static void report(const char *what, long result) {
    if (result >= 0) printf("%s\n", what);
}

static char path[4096];

static const char *in(const char *directory, const char *name) {
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    const char *secret = arguments[1], *directory = arguments[2];
    // The file.
    report("read", open(secret, O_RDONLY));
    report("write", open(secret, O_WRONLY));
    report("append", open(secret, O_WRONLY | O_APPEND));
    report("cut", open(secret, O_RDONLY | O_TRUNC));
    report("truncate", truncate(secret, 0));
    report("rename", rename(secret, in(directory, "other")));
    report("take", rename(secret, "mine"));
    report("link", link(secret, "mine"));
    report("unlink", unlink(secret));
    report("run", execl(secret, secret, NULL));
    report("list", open(directory, O_RDONLY | O_DIRECTORY));
    report("create", open(in(directory, "new"), O_CREAT | O_WRONLY, 0666));
    report("make", mkdir(in(directory, "new"), 0777));
    report("symlink", symlink("x", in(directory, "new")));
    report("fifo", mkfifo(in(directory, "new"), 0666));
    report("watch", inotify_init1(0));
    report("attribute", setxattr(secret, "user.x", "y", 1, 0));
    int handle = open(secret, O_PATH);
    snprintf(path, sizeof path, "/proc/self/fd/%d", handle);
    report("again", open(path, O_RDONLY));
    report("copy by name", linkat(AT_FDCWD, path, AT_FDCWD, "mine", AT_SYMLINK_FOLLOW));
    // The owner may do this where nothing forbids it; the caller checks the file afterwards.
    chmod(secret, 0777);
    fchmodat(handle, "", 0777, 0);
    syscall(452, handle, "", 0777, AT_EMPTY_PATH);
    utimensat(AT_FDCWD, secret, NULL, 0);
    // Services.
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", in(directory, "service"));
    report("socket", socket(AF_UNIX, SOCK_STREAM, 0));
    report("datagrams", socket(AF_UNIX, SOCK_DGRAM, 0));
    int pair[2];
    report("pair of datagrams", socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
    if (!socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) {
        report("connect", connect(pair[0], (struct sockaddr *)&address, sizeof address));
        report("send", sendto(pair[0], "x", 1, MSG_NOSIGNAL, (struct sockaddr *)&address, sizeof address));
    }
    // Processes.
    for (int index = 3; index < count; index++) {
        int pid = atoi(arguments[index]);
        report("signal", kill(pid, 0));
        report("kill", kill(pid, SIGTERM));
        report("kill a thread", syscall(SYS_tgkill, pid, pid, SIGTERM));
        siginfo_t info = {.si_signo = SIGTERM, .si_code = SI_QUEUE};
        report("queue", syscall(SYS_rt_sigqueueinfo, pid, SIGTERM, &info));
        int process = syscall(SYS_pidfd_open, pid, 0);
        report("kill by descriptor", syscall(SYS_pidfd_send_signal, process, SIGTERM, NULL, 0));
        report("niceness", setpriority(PRIO_PROCESS, pid, 19));
        struct { unsigned long bits[16]; } set = {{1}};
        report("core", syscall(SYS_sched_setaffinity, pid, sizeof set, &set));
        struct rlimit limit = {0, 0};
        report("limits", prlimit(pid, RLIMIT_NOFILE, &limit, NULL));
        for (const char **name = (const char *[]){"environ", "mem", "maps", "stat", "cmdline", "fd", "root", NULL}; *name; name++) {
            snprintf(path, sizeof path, "/proc/%d/%s", pid, *name);
            report(path, open(path, O_RDONLY));
        }
        snprintf(path, sizeof path, "/proc/%d/oom_score_adj", pid);
        report(path, open(path, O_WRONLY));
    }
    // It reports success even if it reached nobody; the caller checks the process afterwards.
    kill(-1, SIGTERM);
    report("kill the parent", kill(getppid(), 0));
    // What must work all the same.
    int own = open("mine", O_CREAT | O_RDWR, 0644);
    if (own < 0 || write(own, "x", 1) != 1) puts("the box cannot be written");
    if (open("/proc/self/status", O_RDONLY) < 0) puts("no /proc/self");
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || write(null, "x", 1) != 1) puts("no /dev/null");
    pid_t child = fork();
    if (child == 0) raise(SIGABRT);
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT) puts("no SIGABRT in a child");
    child = fork();
    if (child == 0) for (;;) pause();
    if (kill(child, SIGTERM) || waitpid(child, &status, 0) != child || !WIFSIGNALED(status)) puts("a child cannot be killed");
    puts("done");
    return 0;
}
