// Leaves a process behind that tries to live on: a daemon, as `double fork` and setsid make it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int ready[2];
    if (pipe(ready)) return 90;
    if (!fork()) {
        setsid();
        if (!fork()) {
            for (int signal_number = 1; signal_number < 65; signal_number++) signal(signal_number, SIG_IGN);
            write(ready[1], "x", 1);
            // It keeps the standard streams open, so that their reader waits for it.
            for (;;) {
                if (argc > 1 && !strcmp(argv[1], "write")) {
                    int file = open("late", O_CREAT | O_WRONLY | O_APPEND, 0644);
                    write(file, "late\n", 5);
                    close(file);
                } else if (argc > 1 && !strcmp(argv[1], "burn")) {
                    for (volatile int i = 0; i < 1000000; i++);
                } else {
                    sleep(1000);
                }
            }
        }
        _exit(0);
    }
    char started;
    read(ready[0], &started, 1);
    printf("done");
    return 0;
}
