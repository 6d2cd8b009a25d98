// Types into the user's terminal.
#include "escape.h"
#include <sys/ioctl.h>
int main(void) {
    for (int number = 0; number < 3; number++)
        if (!ioctl(number, TIOCSTI, "x") || !ioctl(number, TIOCSCTTY, 0)) escaped("a terminal");
    if (open("/dev/tty", O_RDWR) >= 0) escaped("the controlling terminal");
    if (open("/dev/ptmx", O_RDWR) >= 0) escaped("a new terminal");
}
