// A dump of memory would start the machine's dump handler, which is root's.
#include "escape.h"
int main(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_CORE, &limit);
    // With a limit of one byte the kernel starts no handler; with 0 it does.
    if (limit.rlim_cur > 1 || limit.rlim_cur != limit.rlim_max) escaped("dumps are not forbidden");
    limit.rlim_cur = limit.rlim_max = 0;
    refused("another limit", setrlimit(RLIMIT_CORE, &limit), EPERM);
    refused("another limit the old way", syscall(SYS_setrlimit, RLIMIT_CORE, &limit), EPERM);
    raise(SIGQUIT);
}
