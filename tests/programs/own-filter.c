// A filter of its own that allows everything: the stricter one holds.
#include "escape.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
int main(void) {
    struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    struct sock_fprog program = {1, &allow};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    refused("unshare", unshare(CLONE_NEWUSER), EPERM);
    refused("ptrace", syscall(SYS_ptrace, 0, 0, 0, 0), EPERM);
}
