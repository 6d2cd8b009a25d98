// Settings of the whole machine; nothing is written, only opened.
#include "escape.h"
#include <ftw.h>
static int look(const char *path, const struct stat *found, int kind, struct FTW *where) {
    (void)where;
    if (kind == FTW_F && open(path, O_WRONLY | O_NONBLOCK) >= 0) escaped(path);
    return 0;
}
int main(void) {
    static const char *places[] = {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/acpi", "/proc/bus", "/proc/fs", "/sys"};
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) nftw(places[i], look, 20, FTW_PHYS);
}
