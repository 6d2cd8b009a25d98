// Each child is small.
#include "escape.h"
int main(void) {
    for (int i = 0; i < 50; i++)
        if (!fork()) {
            volatile char *food = malloc(2 << 20);
            for (int byte = 0; byte < 2 << 20; byte += 4096) food[byte] = 1;
            for (;;) pause();
        }
    for (;;) pause();
}
