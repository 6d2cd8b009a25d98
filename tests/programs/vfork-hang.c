// The parent waits inside the kernel, where no signal of its own reaches it.
#include "escape.h"
int main(void) {
    if (!vfork())
        for (;;) pause();
    return 50;
}
