// Makes the machine write all its disks, again and again.
#include "escape.h"
int main(void) {
    // With a file on a disk these calls would flush it. Here they do nothing, not even look for the file.
    if (fsync(-1) || fdatasync(-1)) escaped("flushing the disk of a file");
    refused("sync", syscall(SYS_sync), EPERM);
    refused("syncfs", syncfs(open("/usr/bin/env", O_RDONLY)), EPERM);
}
