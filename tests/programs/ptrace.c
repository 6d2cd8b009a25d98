#include "escape.h"
#include <sys/ptrace.h>
int main(void) {
    refused("trace me", ptrace(PTRACE_TRACEME, 0, 0, 0), EPERM);
    refused("attach", ptrace(PTRACE_ATTACH, 1, 0, 0), EPERM);
    refused("seize", ptrace(PTRACE_SEIZE, getppid(), 0, 0), EPERM);
}
