#include "escape.h"
int main(void) {
    refused("open_tree", syscall(CALL_OPEN_TREE, AT_FDCWD, "/", 1), EPERM);
    refused("move_mount", syscall(CALL_MOVE_MOUNT, 0, "", AT_FDCWD, "/tmp", 4), EPERM);
    refused("fsopen", syscall(CALL_FSOPEN, "tmpfs", 0), EPERM);
    refused("fsconfig", syscall(CALL_FSCONFIG, 0, 6, 0, 0, 0), EPERM);
    refused("fsmount", syscall(CALL_FSMOUNT, 0, 0, 0), EPERM);
    refused("fspick", syscall(CALL_FSPICK, AT_FDCWD, "/", 0), EPERM);
    refused("mount_setattr", syscall(CALL_MOUNT_SETATTR, AT_FDCWD, "/", 0, 0, 0), EPERM);
    refused("open_tree_attr", syscall(CALL_OPEN_TREE_ATTR, AT_FDCWD, "/", 1, 0, 0), EPERM);
}
