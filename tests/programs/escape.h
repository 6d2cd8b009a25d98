// What the programs here share: they print a line if an attack worked, and nothing if it did not.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// For raw numbers that a library may not know yet.
#define CALL_CLONE3 435
#define CALL_PIDFD_OPEN 434
#define CALL_PIDFD_GETFD 438
#define CALL_MOUNT_SETATTR 442
#define CALL_OPEN_TREE 428
#define CALL_MOVE_MOUNT 429
#define CALL_FSOPEN 430
#define CALL_FSCONFIG 431
#define CALL_FSMOUNT 432
#define CALL_FSPICK 433
#define CALL_IO_URING 425
#define CALL_OPEN_TREE_ATTR 467

__attribute__((unused)) static void escaped(const char *what) {
    printf("ESCAPED: %s\n", what);
    fflush(stdout);
}

// The call must fail with this error: another error may only mean that its arguments were wrong.
__attribute__((unused)) static void refused(const char *what, long result, int error) {
    int found = errno;
    if (result >= 0)
        escaped(what);
    else if (found != error) {
        printf("ESCAPED: %s: %s\n", what, strerror(found));
        fflush(stdout);
    }
}

// Uses the processor for ever.
__attribute__((unused)) static void burn(void) {
    for (volatile unsigned long n = 0;; n++);
}
