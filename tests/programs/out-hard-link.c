#include "escape.h"
int main(void) {
    // Another file system, whoever owns the file.
    refused("hard link to the system", link("/etc/passwd", "out"), EXDEV);
    refused("hard link to a program", link("/usr/bin/env", "out"), EXDEV);
}
