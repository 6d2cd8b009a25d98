// Gives pages to the output, and changes them afterwards.
#include "escape.h"
#include <sys/uio.h>
int main(void) {
    static char page[4096] __attribute__((aligned(4096)));
    struct iovec all = {page, sizeof page};
    refused("vmsplice", vmsplice(1, &all, 1, SPLICE_F_GIFT), EPERM);
}
