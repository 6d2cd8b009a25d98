#include "escape.h"
int main(void) {
    for (int depth = 0; depth < 2000; depth++)
        if (mkdir("d", 0755) || chdir("d")) return 0;
    close(open("out", O_CREAT | O_WRONLY, 0644));
}
