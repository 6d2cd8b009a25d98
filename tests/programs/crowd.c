// Four processes that each want 0.3 s of a processor; with an argument, the first sleeps afterwards.
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    (void)argv;
    int is_first = 1;
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            is_first = 0;
            break;
        }
    struct timespec used;
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    while (used.tv_sec == 0 && used.tv_nsec < 300000000);
    if (!is_first) return 0;
    while (wait(0) > 0) {}
    if (argc > 1) sleep(1000);
    return 7;
}
