// Tries every way out of the sandbox, and prints the result of each in one line.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

static void say(const char *what, long result) {
    const char *how = result >= 0 ? "OPEN" : strerrorname_np(errno);
    printf("%s %s\n", what, how);
    fflush(stdout);
}

static int nothing(void *unused) {
    (void)unused;
    return 0;
}

static void can_write(const char *path) {
    int file = open(path, O_WRONLY | O_CREAT, 0644);
    if (file >= 0) printf("%s can be written\n", path);
}

static void calls(void) {
    static char stack[65536];
    char *top = stack + sizeof stack;
    say("ptrace", syscall(SYS_ptrace, 0, 0, 0, 0));
    say("process_vm_readv", syscall(SYS_process_vm_readv, 1, 0, 0, 0, 0, 0));
    say("pidfd_getfd", syscall(SYS_pidfd_getfd, 0, 0, 0));
    struct rlimit limit;
    say("prlimit", prlimit(1, RLIMIT_CPU, NULL, &limit));
    say("unshare", unshare(CLONE_NEWUSER));
    say("clone", clone(nothing, top, CLONE_NEWUSER | SIGCHLD, NULL));
    say("clone3", syscall(SYS_clone3, NULL, 0));
    say("setns", setns(0, 0));
    say("mount", syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, ""));
    say("umount", syscall(SYS_umount2, "/proc", 2));
    say("mount_setattr", syscall(SYS_mount_setattr, 0, "", 0, 0, 0));
    say("chroot", chroot("/box"));
    say("keyctl", syscall(SYS_keyctl, 0, -3, 0, 0, 0));
    say("add_key", syscall(SYS_add_key, "user", "name", "x", 1, -3));
    say("bpf", syscall(SYS_bpf, 0, 0, 0));
    say("perf_event_open", syscall(SYS_perf_event_open, 0, 0, -1, -1, 0));
    say("userfaultfd", syscall(SYS_userfaultfd, 0));
    say("io_uring", syscall(SYS_io_uring_setup, 1, 0));
    say("inet", socket(AF_INET, SOCK_STREAM, 0));
    say("inet6", socket(AF_INET6, SOCK_DGRAM, 0));
    say("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
    say("vsock", socket(40, SOCK_STREAM, 0));
    say("packet", socket(AF_PACKET, SOCK_RAW, 0));
    say("unix", socket(AF_UNIX, SOCK_STREAM, 0));
    say("shmget", syscall(SYS_shmget, 1, 4096, 01600));
    say("mq_open", syscall(SYS_mq_open, "name", O_CREAT | O_RDWR, 0600, NULL));
    say("setuid", setuid(0));
    say("setgid", setgid(0));
    say("sethostname", sethostname("x", 1));
    say("mknod", syscall(SYS_mknodat, AT_FDCWD, "device", 0020666, 0x103));
    // The call is refused or ignored; otherwise the run would end here.
    kill(1, SIGKILL);
    kill(-1, SIGSTOP);
    say("open_by_handle", syscall(SYS_open_by_handle_at, 0, 0, 0));
    say("swapoff", syscall(SYS_swapoff, "/x"));
    say("reboot", syscall(SYS_reboot, 0, 0, 0, 0));
}

static void views(void) {
    const char *hidden[] = {"/root", "/home", "/srv", "/etc/shadow", "/etc/hostname", "/etc/ssh", "/sys",
                            "/var", "/boot", "/mnt", "/proc/1/environ", "/proc/1/root", "/dev/mem", "/dev/vda",
                            "/dev/tty", "/dev/kmsg", "/run", "/srv", "/opt/secret"};
    for (unsigned i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (!access(hidden[i], F_OK)) printf("%s is there\n", hidden[i]);
    can_write("/x");
    can_write("/usr/x");
    can_write("/usr/bin/true");
    can_write("/etc/passwd");
    can_write("/dev/x");
    can_write("/proc/sys/kernel/core_pattern");
    can_write("/proc/self/mem");
    can_write("/program/x");
    for (int number = 3; number < 1024; number++)
        if (fcntl(number, F_GETFD) >= 0) printf("descriptor %d is open\n", number);
    if (getpid() == 1) printf("this is PID 1\n");
    if (getuid() == 0 || geteuid() == 0) printf("this is root\n");
    for (int number = 1; number < 100000; number++) {
        char path[64];
        sprintf(path, "/proc/%d", number);
        if (number != getpid() && !access(path, F_OK)) printf("%s is there\n", path);
    }
}

static void input(void) {
    // The program may read its input, also more than once, but never change it.
    char before[16] = {0}, after[16] = {0};
    read(0, before, 8);
    int file = open("/proc/self/fd/0", O_RDWR);
    if (file >= 0 && pwrite(file, "changed!", 8, 0) == 8) puts("input was overwritten");
    if (file >= 0 && !ftruncate(file, 0)) puts("input was cut");
    if (pwrite(0, "changed!", 8, 0) == 8) puts("input was overwritten");
    if (mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, 0, 0) != MAP_FAILED) puts("input was mapped");
    int other = memfd_create("other", 0), ends[2];
    loff_t start = 0;
    write(other, "changed!", 8), lseek(other, 0, SEEK_SET);
    if (pipe(ends) || write(ends[1], "changed!", 8) != 8) puts("no pipe");
    if (splice(ends[0], NULL, 0, NULL, 8, SPLICE_F_NONBLOCK) > 0) puts("input was spliced");
    if (sendfile(0, other, NULL, 8) > 0) puts("input was sent to");
    if (syscall(SYS_copy_file_range, other, &start, 0, NULL, 8, 0) > 0) puts("input was copied to");
    if (!fallocate(0, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, 0, 4096)) puts("input was punched");
    char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, 0, 0);
    if (page != MAP_FAILED) {
        if (!mprotect(page, 4096, PROT_READ | PROT_WRITE)) puts("input's mapping can be written");
        if (!madvise(page, 4096, MADV_REMOVE)) puts("input was removed");
    }
    if (!linkat(AT_FDCWD, "/proc/self/fd/0", AT_FDCWD, "/tmp/input", AT_SYMLINK_FOLLOW)) puts("input has a name");
    fchmod(0, 0666);
    file = open("/proc/self/fd/0", O_WRONLY | O_TRUNC);
    if (file >= 0 && write(file, "changed!", 8) == 8) puts("input was overwritten");
    pread(0, after, 8, 0);
    puts(strcmp(before, after) ? "input is another" : "input is the same");
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "calls")) calls();
    if (!strcmp(what, "views")) views();
    if (!strcmp(what, "input")) input();
    return 0;
}
