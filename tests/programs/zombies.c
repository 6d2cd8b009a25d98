// Leaves as many dead children as it can.
#include "escape.h"
int main(void) {
    int count = 0;
    for (; count < 5000; count++) {
        pid_t pid = fork();
        if (pid < 0) break;
        if (!pid) _exit(0);
    }
    if (count >= 5000) escaped("five thousand zombies");
}
