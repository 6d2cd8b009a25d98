// Its flags are where no filter can see them.
#include "escape.h"
int main(void) {
    uint64_t arguments[11] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
    for (uint64_t guess = 0; guess < 1000; guess++) {
        long pid = syscall(CALL_CLONE3, arguments, sizeof arguments, 0, 0, 0, guess);
        if (!pid) _exit(0);
        refused("clone3", pid, ENOSYS);
    }
}
