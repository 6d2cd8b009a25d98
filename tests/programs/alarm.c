#include <sys/time.h>
#include <unistd.h>
int main(void) {
    struct itimerval soon = {.it_value = {.tv_usec = 1000}};
    setitimer(ITIMER_REAL, &soon, 0);
    for (;;) pause();
}
