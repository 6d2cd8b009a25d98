// Replaces the output file `out` by something else.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    unlink("out");
    if (!strcmp(what, "directory")) return mkdir("out", 0755);
    if (!strcmp(what, "fifo")) return mkfifo("out", 0644);
    if (!strcmp(what, "link")) return symlink("/etc/passwd", "out");
    if (!strcmp(what, "link-to-self")) return symlink("out", "out");
    if (!strcmp(what, "link-inside")) {
        FILE *file = fopen("other", "w");
        return !file || fclose(file) || symlink("other", "out");
    }
    if (!strcmp(what, "hard-link")) return link("/etc/passwd", "out") ? errno != EXDEV && errno != EPERM && errno != EACCES : 1;
    if (!strcmp(what, "link-to-stdin")) return symlink("/proc/self/fd/0", "out");
    if (!strcmp(what, "socket")) {
        struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "out"};
        return bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&name, sizeof name);
    }
    if (!strcmp(what, "unreadable")) {
        FILE *file = fopen("out", "w");
        return !file || fputs("secret", file) < 0 || fclose(file) || chmod("out", 0) || chmod(".", 0);
    }
    if (!strcmp(what, "parent-link")) return mkdir("real", 0755) || symlink("real", "dir") || close(open("real/out", O_CREAT | O_WRONLY, 0644));
    if (!strcmp(what, "deep")) {
        for (int depth = 0; depth < 200; depth++)
            if (mkdir("d", 0755) || chdir("d")) return 1;
        FILE *file = fopen("hidden", "w");
        static char block[1 << 20];
        return !file || fwrite(block, sizeof block, 1, file) != 1 || fclose(file);
    }
    return 0;
}
