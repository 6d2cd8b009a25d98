// Memory, semaphores and messages that stay when their maker is gone.
#include "escape.h"
int main(void) {
    refused("shmget", syscall(SYS_shmget, 77, 4096, 01600), EPERM);
    refused("semget", syscall(SYS_semget, 77, 1, 01600), EPERM);
    refused("msgget", syscall(SYS_msgget, 77, 01600), EPERM);
    refused("mq_open", syscall(SYS_mq_open, "queue", O_CREAT | O_RDWR, 0600, NULL), EPERM);
}
