// Tries to turn a descriptor that only refers to a file into one that writes it.
#include "escape.h"
int main(void) {
    char path[64];
    int file = open("/usr/bin/env", O_PATH);
    sprintf(path, "/proc/self/fd/%d", file);
    if (open(path, O_WRONLY) >= 0) escaped("a system file");
    int directory = open("/usr/bin", O_PATH);
    if (openat(directory, "trace", O_CREAT | O_WRONLY, 0644) >= 0) escaped("a system directory");
    if (open("/proc/self/exe", O_WRONLY) >= 0) escaped("its own program");
}
