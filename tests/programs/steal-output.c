// Reads an output, passes it on, or leaves something in it. An output is a new file, and only for writing.
#include "escape.h"
static void abuse(int output) {
    char name[32], byte;
    struct stat found;
    if (fstat(output, &found) || found.st_size) escaped("an output that is not empty");
    sprintf(name, "/proc/self/fd/%d", output);
    write(output, "secret", 6);
    lseek(output, 0, SEEK_SET);
    refused("reading", read(output, &byte, 1), EBADF);
    refused("opening to read", open(name, O_RDONLY | O_NONBLOCK), EACCES);
    refused("opening to read and write", open(name, O_RDWR), EACCES);
    refused("mapping", (long)mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, output, 0), EACCES);
    refused("sealing", fcntl(output, F_ADD_SEALS, F_SEAL_WRITE), EPERM);
    refused("running", execl(name, name, NULL), EACCES);
    int again = open(name, O_WRONLY | O_TRUNC);
    if (again < 0) escaped("/dev/stdout cannot be written");
    close(again);
}
int main(void) {
    abuse(2);
    abuse(1);
}
