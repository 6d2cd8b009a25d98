#include <unistd.h>
int main(void) {
    // Each child does the same; the last one works, and all others wait inside the kernel.
    for (;;) vfork();
}
