// Programs that start with their owner's rights do not; nor is another user available.
#include "escape.h"
#include <sys/fsuid.h>
int main(void) {
    if (!getuid() || !geteuid() || !getgid()) escaped("is root");
    if (setuid(0) >= 0 || setgid(0) >= 0 || setresuid(0, 0, 0) >= 0) escaped("became root");
    if (setgroups(0, NULL) >= 0) escaped("changed its groups");
    setfsuid(0);
    if (setfsuid(-1) == 0) escaped("root for files");
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) escaped("new privileges are allowed");
    for (int number = 0; number < 64; number++)
        if (prctl(PR_CAPBSET_READ, number) == 1) escaped("a capability can be regained");
    unsigned header[2] = {0x20080522, 0}, sets[6] = {0};
    syscall(SYS_capget, header, sets);
    for (int i = 0; i < 6; i++)
        if (sets[i]) escaped("has a capability");
    sets[0] = sets[1] = 1;
    refused("capset", syscall(SYS_capset, header, sets), EPERM);
}
