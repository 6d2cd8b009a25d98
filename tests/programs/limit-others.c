#include "escape.h"
int main(void) {
    struct rlimit none = {0, 0};
    refused("cpu of PID 1", prlimit(1, RLIMIT_CPU, &none, NULL), EPERM);
    refused("reading", prlimit(1, RLIMIT_CPU, NULL, &none), EPERM);
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    int kinds[] = {RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_MEMLOCK, RLIMIT_NICE, RLIMIT_RTPRIO, RLIMIT_MSGQUEUE};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) refused("its own limit", setrlimit(kinds[i], &all), EPERM);
}
