// Has the machine write all its disks, again and again.
#include "escape.h"
int main(void) {
    refused("sync", syscall(SYS_sync), EPERM);
    refused("syncfs", syncfs(open("/usr/bin/env", O_RDONLY)), EPERM);
}
