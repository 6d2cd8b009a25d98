// Has itself killed by SIGKILL in the way that its first argument names, or by another of its processes.
#include "escape.h"
#include <linux/filter.h>
#include <linux/seccomp.h>

#define CALL_PIDFD_SEND_SIGNAL 424
static void child_kills(pid_t target) {
    if (!fork()) kill(target, SIGKILL), _exit(0);
    for (;;) pause();
}

static void by_queue(int call, pid_t target) {
    siginfo_t details = {.si_code = SI_QUEUE, .si_pid = getpid()};
    if (call == SYS_rt_sigqueueinfo) syscall(call, target, SIGKILL, &details);
    else syscall(call, target, target, SIGKILL, &details);
}

static void by_timer(void) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec soon = {.it_value.tv_nsec = 1000};
    if (!timer_create(CLOCK_MONOTONIC, &event, &timer)) timer_settime(timer, 0, &soon, NULL), pause();
}

static void by_descriptor(void) {
    int ends[2];
    pipe(ends);
    fcntl(ends[0], F_SETSIG, SIGKILL);
    fcntl(ends[0], F_SETOWN, getpid());
    fcntl(ends[0], F_SETFL, O_ASYNC);
    write(ends[1], "x", 1);
    sleep(5);
}

static void by_time(void) {
    setrlimit(RLIMIT_CPU, &(struct rlimit){1, 1});
    burn();
}

// A filter of its own that permits the call does not keep the slot from being asked.
static void by_own_filter(pid_t target) {
    struct sock_filter step = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {1, &step};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
    kill(target, SIGKILL);
}

// The kernel takes the low halves of these arguments only.
static void by_high_bits(pid_t target) {
    syscall(SYS_kill, target | 1L << 40, SIGKILL | 1L << 40);
}

static void by_vfork(pid_t target) {
    if (!vfork()) syscall(SYS_kill, target, SIGKILL), _exit(0);
    pause();
}

// The end of such a child would kill this process.
static void by_childs_end(void) {
    pid_t child = syscall(SYS_clone, SIGKILL, 0, 0, 0, 0);
    if (!child) _exit(0);
    if (child > 0) pause();
}

// Kills whoever asks for it when its parent ends; the parent of the program outlives it.
static void by_parents_end(void) {
    if (!fork()) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (!fork()) prctl(PR_SET_PDEATHSIG, SIGKILL), pause();
        _exit(0);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    wait(NULL);
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    pid_t own = getpid();
    if (!strcmp(how, "tkill")) syscall(SYS_tkill, own, SIGKILL);
    if (!strcmp(how, "tgkill")) syscall(SYS_tgkill, own, own, SIGKILL);
    if (!strcmp(how, "group")) kill(0, SIGKILL);
    if (!strcmp(how, "child")) child_kills(own);
    if (!strcmp(how, "child-all")) child_kills(-1);
    if (!strcmp(how, "queue")) by_queue(SYS_rt_sigqueueinfo, own);
    if (!strcmp(how, "thread-queue")) by_queue(SYS_rt_tgsigqueueinfo, own);
    if (!strcmp(how, "pidfd"))
        syscall(CALL_PIDFD_SEND_SIGNAL, syscall(CALL_PIDFD_OPEN, own, 0), SIGKILL, NULL, 0);
    if (!strcmp(how, "timer")) by_timer();
    if (!strcmp(how, "descriptor")) by_descriptor();
    if (!strcmp(how, "time")) by_time();
    if (!strcmp(how, "own-filter")) by_own_filter(own);
    if (!strcmp(how, "high-bits")) by_high_bits(own);
    if (!strcmp(how, "vfork")) by_vfork(own);
    if (!strcmp(how, "childs-end")) return by_childs_end(), 0;
    if (!strcmp(how, "parents-end")) return by_parents_end(), 0;
    // In strict mode, nearly every call kills.
    if (!strcmp(how, "strict")) return prctl(PR_SET_SECCOMP, 1), 0;
    kill(own, SIGKILL);
    return 1;
}
