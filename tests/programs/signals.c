// A mask or a handler that was inherited from the judge.
#include "escape.h"
int main(void) {
    sigset_t blocked;
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    for (int number = 1; number < 65; number++) {
        struct sigaction action;
        if (sigismember(&blocked, number) == 1) escaped("blocked");
        if (!sigaction(number, NULL, &action) && action.sa_handler != SIG_DFL) escaped("not at its default");
    }
}
