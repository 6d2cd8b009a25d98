// Ends well while its own child still writes.
#include <unistd.h>
int main(void) {
    if (!fork())
        for (;;) {
            usleep(1000);
            write(1, "late\n", 5);
        }
    return 0;
}
