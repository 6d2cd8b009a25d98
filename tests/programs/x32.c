// Calls the kernel by the numbers of x32, which many a filter forgets.
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
    return syscall(0x40000000 | SYS_getpid) > 0 ? 0 : 1;
}
