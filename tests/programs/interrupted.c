// Makes pipes while its children end. It handles SIGCHLD without restarting calls: each pipe must be made all the
// same.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void note(int signal) {}

int main(void) {
    int ends[2];
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = note}, NULL);
    for (int number = 0; number < 1000; number++) {
        if (!fork()) _exit(0);
        // The child ends sooner or later.
        for (volatile int step = 0; step < number % 50 * 1000; step++);
        if (pipe(ends)) perror("found"), puts("found: a signal keeps it from making a pipe");
        else close(ends[0]), close(ends[1]);
        while (wait(NULL) < 0 && errno == EINTR);
    }
}
