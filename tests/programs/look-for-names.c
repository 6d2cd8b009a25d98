// Looks for files that are not there. The kernel remembers each name, and counts the memory.
#include <stdio.h>
#include <unistd.h>

int main(void) {
    char name[256];
    for (int i = 0; i < 100000; i++) {
        snprintf(name, sizeof name, "/usr/%0200d", i);
        if (!access(name, F_OK)) return 1;
    }
    return 0;
}
