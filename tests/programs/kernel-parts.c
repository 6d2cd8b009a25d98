// Large parts of the kernel in which vulnerabilities were found.
#include "escape.h"
int main(void) {
    long context = 0;
    refused("bpf", syscall(SYS_bpf, 5, 0, 0), EPERM);
    refused("perf", syscall(SYS_perf_event_open, 0, 0, -1, -1, 0), EPERM);
    refused("userfaultfd", syscall(SYS_userfaultfd, 0), EPERM);
    refused("fanotify", syscall(SYS_fanotify_init, 0, 0), EPERM);
    refused("module", syscall(SYS_finit_module, 0, "", 0), EPERM);
    refused("kexec", syscall(SYS_kexec_load, 0, 0, 0, 0), EPERM);
    refused("reboot", syscall(SYS_reboot, 0, 0, 0, 0), EPERM);
    refused("swap", syscall(SYS_swapon, "/x", 0), EPERM);
    refused("kernel log", syscall(SYS_syslog, 3, 0, 0), EPERM);
    refused("quota", syscall(SYS_quotactl, 0, 0, 0, 0), EPERM);
    refused("quota by descriptor", syscall(443, 0, 0, 0, 0), EPERM);
    refused("handle", syscall(SYS_open_by_handle_at, 0, 0, 0), EPERM);
    refused("host name", sethostname("x", 1), EPERM);
    (void)context;
}
