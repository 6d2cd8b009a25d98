// Tries to slow the process that waits for it, in every way that the kernel has.
#include "escape.h"
int main(void) {
    struct sched_param none = {0};
    sched_setscheduler(1, SCHED_IDLE, &none);
    setpriority(PRIO_PROCESS, 1, 19);
    setpriority(PRIO_USER, getuid(), 19);
    syscall(SYS_ioprio_set, 1, 1, 3 << 13);
    burn();
}
