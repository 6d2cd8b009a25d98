// Its input, for the next run to read.
#include "escape.h"
int main(void) {
    char text[8] = {0};
    if (pwrite(0, "changed", 7, 0) > 0) escaped("written");
    if (open("/proc/self/fd/0", O_RDWR) >= 0) escaped("opened for writing");
    if (!ftruncate(0, 0)) escaped("cut");
    if (mmap(0, 4096, PROT_WRITE, MAP_SHARED, 0, 0) != MAP_FAILED) escaped("mapped");
    if (pread(0, text, 5, 0) != 5 || strcmp(text, "input")) escaped("another input");
}
