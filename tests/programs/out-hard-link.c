#include "escape.h"
int main(void) {
    // Another file system, whoever its owner is.
    refused("hard link to the system", link("/etc/passwd", "out"), EXDEV);
    refused("hard link to a program", link("/usr/bin/env", "out"), EXDEV);
}
