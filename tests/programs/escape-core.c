// Leaves its core, to take time from other runs and to use several cores at once.
#include "escape.h"
int main(void) {
    cpu_set_t before, all, after;
    sched_getaffinity(0, sizeof before, &before);
    memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
    sched_getaffinity(0, sizeof after, &after);
    if (!CPU_EQUAL(&before, &after)) escaped("runs on other cores");
    refused("sched_setaffinity", sched_setaffinity(0, sizeof all, &all), EPERM);
}
