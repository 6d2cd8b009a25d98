#include "escape.h"
int main(void) {
    long kinds[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, 0x02000000};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        long pid = syscall(SYS_clone, kinds[i] | SIGCHLD, 0, 0, 0, 0);
        if (!pid) _exit(0);
        refused("clone", pid, EPERM);
    }
}
