// Is notified when another run opens a file that both see.
#include "escape.h"
int main(void) {
    refused("inotify", syscall(SYS_inotify_init1, 0), EPERM);
#ifdef SYS_inotify_init
    refused("inotify the old way", syscall(SYS_inotify_init), EPERM);
#endif
    refused("directory notes", fcntl(open("/usr/bin", O_RDONLY), F_NOTIFY, 1), EPERM);
}
