// Pages from the machine's stock, which are charged to nobody.
#include "escape.h"
int main(void) {
    void *page = mmap(0, 2 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    refused("huge page", page == MAP_FAILED ? -1 : 0, EPERM);
    refused("file of huge pages", syscall(SYS_memfd_create, "huge", 4), EPERM);
}
