// With "hold", waits for a line and takes as many locks as a run may. With "often", locks and unlocks its own file
// more often than that, before and after others do so.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int lock(int file, short type, long place) {
    struct flock lock = {.l_type = type, .l_start = place, .l_len = 1};
    return fcntl(file, F_SETLK, &lock);
}

int main(int argc, char **argv) {
    char line[64];
    int file = open("locked", O_CREAT | O_RDWR, 0600), refused = 0;
    if (argc > 1 && !strcmp(argv[1], "hold")) {
        fgets(line, sizeof line, stdin);
        for (int number = 0; number < 11000; number++) lock(file, F_WRLCK, 2 * number);
        puts("locked"), fflush(stdout);
        fgets(line, sizeof line, stdin);
        return 42;
    }
    if (argc > 1 && !strcmp(argv[1], "often")) {
        lock(file, F_WRLCK, 0);
        puts("locked"), fflush(stdout);
        fgets(line, sizeof line, stdin);
        for (int number = 0; number < 12000; number++) refused += lock(file, number % 2 ? F_WRLCK : F_UNLCK, 0) != 0;
    }
    return refused != 0;
}
