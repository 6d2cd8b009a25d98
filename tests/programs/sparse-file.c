// A file of a terabyte that takes no room.
#include <fcntl.h>
#include <unistd.h>
int main(void) {
    int file = open("out", O_CREAT | O_WRONLY, 0644);
    lseek(file, 1LL << 40, SEEK_SET);
    write(file, "x", 1);
    return 50;
}
