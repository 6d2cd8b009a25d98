#include "escape.h"
int main(void) {
    static const char *kinds[] = {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char path[64];
        sprintf(path, "/proc/self/ns/%s", kinds[i]);
        refused(kinds[i], setns(open(path, O_RDONLY), 0), EPERM);
    }
    refused("a process", setns(syscall(CALL_PIDFD_OPEN, 1, 0), CLONE_NEWNS), EPERM);
}
