// Becomes the parent of all orphans, and leaves them.
#include "escape.h"
int main(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (int i = 0; i < 10; i++)
        if (!fork()) {
            if (!fork())
                for (;;) pause();
            _exit(0);
        }
    return 0;
}
