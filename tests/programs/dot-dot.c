// Up and out of the box: by dots, by descriptors, by the root of a process.
#include "escape.h"
static void look(const char *how, int directory, const char *path) {
    static const char *hidden[] = {"home", "root", "var", "boot", "work", "mnt", "sys", "lost+found"};
    int root = openat(directory, path, O_PATH | O_DIRECTORY);
    if (root < 0) return;
    for (unsigned i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (!faccessat(root, hidden[i], F_OK, 0)) printf("ESCAPED: %s by %s\n", hidden[i], how);
}
int main(void) {
    look("dots", AT_FDCWD, "../../../../../../../..");
    look("dots from the root", AT_FDCWD, "/../../..");
    look("/proc/self/root", AT_FDCWD, "/proc/self/root/..");
    look("/proc/self/cwd", AT_FDCWD, "/proc/self/cwd/../..");
    look("/proc/1/root", AT_FDCWD, "/proc/1/root");
    look("a thread's root", AT_FDCWD, "/proc/thread-self/root/..");
    int box = open("/box", O_PATH);
    mkdir("below", 0755);
    refused("chroot", chroot("below"), EPERM);
    look("the box", box, "../..");
    // A directory that moves away while the program walks up from it.
    mkdir("a", 0755), mkdir("a/b", 0755);
    int deep = open("a/b", O_PATH);
    rename("a/b", "/tmp/b"), rename("a/b", "b");
    look("a moved directory", deep, "../../../..");
}
