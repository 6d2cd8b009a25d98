// The pipe that the judge reads cannot be read by anybody else.
#include "escape.h"
int main(void) {
    refused("reading the output", open("/proc/self/fd/1", O_RDONLY | O_NONBLOCK), EACCES);
    refused("reading and writing", open("/proc/self/fd/1", O_RDWR), EACCES);
    if (open("/proc/self/fd/1", O_WRONLY) < 0) escaped("/dev/stdout cannot be written");
}
