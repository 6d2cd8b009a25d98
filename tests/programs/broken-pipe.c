#include <unistd.h>
int main(void) {
    int ends[2];
    if (pipe(ends)) return 90;
    close(ends[0]);
    write(ends[1], "x", 1);
    return 50;
}
