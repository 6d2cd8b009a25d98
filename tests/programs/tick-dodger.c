// Works between the ticks of the kernel's clock and sleeps over each of them.
#include "escape.h"
static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}
int main(void) {
    for (;;) {
        struct timespec least = {0, 1};
        nanosleep(&least, NULL);
        for (long start = now(); now() - start < 700000;);
    }
}
