#include "escape.h"
#include <sys/mount.h>
int main(void) {
    refused("mount", mount("none", "/tmp", "tmpfs", 0, ""), EPERM);
    refused("bind", mount("/", "/tmp", NULL, MS_BIND | MS_REC, NULL), EPERM);
    refused("remount", mount(NULL, "/", NULL, MS_REMOUNT, NULL), EPERM);
    refused("umount", umount2("/proc", MNT_DETACH), EPERM);
    refused("umount of the box", umount2("/box", MNT_DETACH), EPERM);
    refused("pivot_root", syscall(SYS_pivot_root, ".", "."), EPERM);
}
