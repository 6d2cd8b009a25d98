// Sets the clock back, to have more time.
#include "escape.h"
#include <sys/timex.h>
int main(void) {
    struct timespec past = {1, 0};
    struct timeval early = {1, 0};
    struct timex faster = {.modes = ADJ_TICK, .tick = 11000};
    refused("clock_settime", clock_settime(CLOCK_REALTIME, &past), EPERM);
    refused("settimeofday", settimeofday(&early, NULL), EPERM);
    refused("adjtimex", adjtimex(&faster), EPERM);
    refused("clock_adjtime", clock_adjtime(CLOCK_REALTIME, &faster), EPERM);
}
