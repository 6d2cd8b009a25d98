#include <unistd.h>
int main(void) {
    // Each child is the next to do so; the last one works, and all others wait inside the kernel.
    for (;;) vfork();
}
