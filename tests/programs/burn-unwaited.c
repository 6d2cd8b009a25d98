// Short-lived children that nobody waits for: only the control group counts their time, no process does.
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
