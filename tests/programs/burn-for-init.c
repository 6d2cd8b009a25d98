// A child of PID 1, not of the program, works for it.
#include "escape.h"
int main(void) {
    static char stack[1 << 16];
    (void)stack;
    if (!syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)) burn();
    for (;;) pause();
}
