// Locks on files that every run sees, and marks on them: one run may hold what another tests.
#include "escape.h"
#include <sys/file.h>
int main(void) {
    int file = open("/usr/bin/env", O_RDONLY);
    struct flock writing = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    // This call locks nothing, and pretends to: others can do the same at the same time.
    int again = open("/usr/bin/env", O_RDONLY);
    if (flock(file, LOCK_EX | LOCK_NB)) escaped("no flock");
    if (flock(again, LOCK_EX | LOCK_NB)) escaped("a flock that holds");
    // An exclusive lock is only for files that can be written.
    refused("lock", fcntl(file, F_SETLK, &writing), EBADF);
    // Each of these locks is in a list that all can read.
    struct flock reading = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    refused("open file lock", fcntl(file, F_OFD_SETLK, &reading), EINVAL);
    refused("open file lock, waiting", fcntl(file, F_OFD_SETLKW, &reading), EINVAL);
    refused("whose lock", fcntl(file, F_GETLK, &writing), ENOSYS);
    refused("whose open file lock", fcntl(file, F_OFD_GETLK, &writing), ENOSYS);
    refused("lease", fcntl(file, F_SETLEASE, F_RDLCK), EPERM);
    // The expected lifetime of written data: the file keeps this number until the machine forgets the file.
    uint64_t hint = 3;
    refused("hint", fcntl(file, F_SET_RW_HINT, &hint), EINVAL);
    refused("hint of an open file", fcntl(file, F_SET_FILE_RW_HINT, &hint), EINVAL);
    // It may lock its own files.
    int own = open("own", O_CREAT | O_RDWR, 0644);
    if (fcntl(own, F_SETLK, &writing)) escaped("no lock on its own file");
}
