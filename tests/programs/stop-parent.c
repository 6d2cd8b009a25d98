// A child stops its parent again and again.
#include "escape.h"
int main(void) {
    pid_t parent = getpid();
    if (!fork())
        for (;;) {
            kill(parent, SIGSTOP);
            usleep(20000);
        }
    for (;;) pause();
}
