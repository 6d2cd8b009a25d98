#include "escape.h"
#include <sys/ioctl.h>
int main(void) {
    refused("keyctl", syscall(SYS_keyctl, 0, -3, 0, 0, 0), EPERM);
    refused("add_key", syscall(SYS_add_key, "user", "name", "x", 1, -3), EPERM);
    refused("request_key", syscall(SYS_request_key, "user", "name", NULL, 0), EPERM);
    // Keys of file systems for encrypted directories: add, remove, remove those of all users.
    char key[128] = {0};
    int file = open("/usr/bin/env", O_RDONLY);
    refused("a key for a disk", ioctl(file, 0xc0506617, key), ENOTTY);
    refused("no key for a disk", ioctl(file, 0xc0406618, key), ENOTTY);
    refused("no key for anybody", ioctl(file, 0xc0406619, key), ENOTTY);
}
