// Descriptors that the judge left open.
#include "escape.h"
int main(void) {
    for (int number = 3; number < 65536; number++)
        if (fcntl(number, F_GETFD) >= 0) printf("ESCAPED: descriptor %d\n", number);
}
