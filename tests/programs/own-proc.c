// Files about itself that would change how the kernel treats it.
#include "escape.h"
int main(void) {
    static const char *files[] = {"oom_score_adj", "oom_adj", "uid_map", "gid_map", "setgroups", "mem", "loginuid",
                                  "coredump_filter", "timerslack_ns", "sched", "autogroup", "clear_refs"};
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        char path[64];
        sprintf(path, "/proc/self/%s", files[i]);
        if (open(path, O_WRONLY) >= 0) escaped(path);
    }
}
