// Children that live for a moment and that nobody waits for: in no process's account, only in the group's.
#include "escape.h"
int main(void) {
    signal(SIGCHLD, SIG_IGN);
    for (;;) {
        int ends[2];
        if (pipe(ends)) return 90;
        if (!fork()) {
            for (volatile long n = 0; n < 2000000; n++);
            _exit(0);
        }
        close(ends[1]);
        char end;
        read(ends[0], &end, 1);
        close(ends[0]);
    }
}
