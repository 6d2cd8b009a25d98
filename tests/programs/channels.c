// Ways to mark a file that all runs see, to ask what others did to it, and to learn which run this is.
#include "escape.h"
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#define CALL_CACHESTAT 451
int main(void) {
    int file = open("/usr/bin/env", O_RDONLY);
    char page[4096];
    struct iovec part = {page, sizeof page};
    // Whether a page is in memory: a read that must not wait is refused, and nothing removes the page.
    refused("a page if it is there", preadv2(file, &part, 1, 0, RWF_NOWAIT), EOPNOTSUPP);
    uint64_t range[2] = {0, sizeof page}, found[5];
    refused("pages that are there", syscall(CALL_CACHESTAT, file, range, found, 0), ENOSYS);
    if (posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)) escaped("advice that fails");
    if (preadv(file, &part, 1, 0) != sizeof page) escaped("no page");
    // What file systems and namespaces know.
    long number = 0;
    refused("flags of a file", ioctl(file, FS_IOC_GETFLAGS, &number), ENOTTY);
    refused("extents in memory", ioctl(file, 0xc020662a, &number), ENOTTY);
    int space = open("/proc/self/ns/mnt", O_RDONLY);
    for (unsigned call = 0; call < 16; call++) refused("a namespace's number", ioctl(space, 0xb700u | call, &number), ENOTTY);
    refused("a namespace's own number", ioctl(space, 0x8008b70d, &number), ENOTTY);
    // What programs need.
    int ends[2], on = 1;
    if (pipe(ends) || ioctl(ends[0], FIONREAD, &on) || ioctl(ends[0], FIONBIO, &on) || ioctl(ends[0], FIOCLEX))
        escaped("no question about a pipe");
    if (isatty(0)) escaped("a terminal");
    // The machine numbers all sessions, and shows the numbers to all.
    fflush(stdout);
    if (!fork()) {
        refused("a session", setsid(), EPERM);
        exit(0);
    }
    wait(NULL);
    // The name of a control group would tell judge and slot.
    FILE *groups = fopen("/proc/self/cgroup", "r");
    for (char line[4096]; groups && fgets(line, sizeof line, groups);) {
        char *path = strchr(line, ':');
        path = path ? strchr(path + 1, ':') : NULL;
        if (!path || strstr(path, "juror")) printf("ESCAPED: a group: %s", line);
    }
}
