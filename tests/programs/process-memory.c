#include "escape.h"
#include <sys/uio.h>
int main(void) {
    char text[8];
    struct iovec here = {text, 8}, there = {main, 8};
    refused("read", process_vm_readv(1, &here, 1, &there, 1, 0), EPERM);
    refused("write", process_vm_writev(1, &here, 1, &there, 1, 0), EPERM);
    refused("compare", syscall(SYS_kcmp, 1, getpid(), 0, 0, 0), EPERM);
    refused("advise", syscall(440, 0, &here, 1, 0, 0), EPERM);
    if (open("/proc/1/mem", O_RDONLY) >= 0) escaped("/proc/1/mem");
}
