// Leaves traces wherever it can, and searches for those of another run.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static const char *places[] = {"/box/trace", "/tmp/trace", "/dev/shm/other", "/var/tmp/trace", "/trace", "/dev/trace", "/run/trace"};

int main(int argc, char **argv) {
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        if (!access(places[i], F_OK)) printf("found %s\n", places[i]);
        FILE *file = fopen(places[i], "w");
        if (!file) continue;
        static char block[1 << 20];
        for (int mebibyte = 0; argc > 1 && mebibyte < atoi(argv[1]); mebibyte++) fwrite(block, sizeof block, 1, file);
        fclose(file);
    }
    if (shm_open("/shared", O_RDWR, 0600) >= 0) puts("found shared memory");
    int shared = shm_open("/shared", O_RDWR | O_CREAT, 0600);
    if (shared >= 0) ftruncate(shared, 4096);
    if (syscall(SYS_shmget, 77, 4096, 0600) >= 0) puts("found a segment");
    syscall(SYS_shmget, 77, 4096, 01600);
    if (syscall(SYS_mq_open, "queue", O_RDWR, 0600, NULL) >= 0) puts("found a queue");
    syscall(SYS_mq_open, "queue", O_RDWR | O_CREAT, 0600, NULL);
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0trace"};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (!connect(listener, (void *)&name, sizeof name)) puts("found a socket");
    bind(listener, (void *)&name, sizeof name);
    listen(listener, 1);
    puts("done");
    return 0;
}
