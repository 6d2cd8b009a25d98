// Kills everything that it can name, also the process that waits for it.
#include "escape.h"
int main(void) {
    int first = syscall(CALL_PIDFD_OPEN, 1, 0);
    for (int number = 1; number < 65; number++) {
        kill(1, number);
        syscall(SYS_tgkill, 1, 1, number);
        syscall(424, first, number, NULL, 0);
    }
    for (int number = 2; number < 40000; number++)
        if (number != getpid() && !kill(number, SIGKILL)) escaped("somebody was there");
    kill(-1, SIGKILL);
}
