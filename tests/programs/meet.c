// Searches for another run of itself at the same time: by names, by locks, by files that both see. A refused means is
// as good as one that finds nothing.
#include "escape.h"
#include <sys/file.h>
#include <sys/un.h>

// The kernel's list names no process for locks of an open file, so it has those of all.
static int is_listed(void) {
    char line[200];
    int count = 0;
    FILE *list = fopen("/proc/locks", "r");
    while (list && fgets(line, sizeof line, list)) count += strstr(line, "OFDLCK") && strstr(line, " 4711 ");
    if (list) fclose(list);
    return count;
}

int main(void) {
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0meet"};
    int own = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (bind(own, (void *)&name, sizeof name)) escaped("somebody has the name already");
    const char *places[] = {"/tmp/meet", "/dev/shm/meet", "/box/meet"};
    for (int i = 0; i < 3; i++)
        if (open(places[i], O_CREAT | O_EXCL | O_RDWR, 0666) < 0 && i != 1) escaped(places[i]);
    int shared = open("/usr/bin/env", O_RDONLY), notes = syscall(SYS_inotify_init1, O_NONBLOCK);
    syscall(SYS_inotify_add_watch, notes, "/usr/bin/env", 0x20);
    int segment = syscall(SYS_shmget, 4711, 4096, 0666 | 01000);
    struct flock reading = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    for (;;) {
        struct flock writing = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
        fcntl(shared, F_SETLK, &reading);
        struct flock place = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 4711, .l_len = 1 + getpid() % 7};
        fcntl(shared, F_OFD_SETLK, &place);
        if (is_listed()) escaped("a lock in the list");
        if (!fcntl(shared, F_GETLK, &writing) && writing.l_type != F_UNLCK) escaped("a lock of another");
        if (flock(shared, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) escaped("a flock of another");
        close(open("/usr/bin/env", O_RDONLY));
        char byte[4096];
        // Its own open is notified once; a second notification is another run's.
        if (read(notes, byte, sizeof byte) > 0) escaped("a note of an opened file");
        if (segment >= 0) escaped("a segment");
        if (recv(own, byte, 1, MSG_DONTWAIT) > 0) escaped("a message");
        for (int number = 3; number < 200; number++)
            if (number != getpid() && !kill(number, 0)) escaped("another process");
        usleep(2000);
    }
}
