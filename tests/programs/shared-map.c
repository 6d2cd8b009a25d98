#include <string.h>
#include <sys/mman.h>
int main(void) {
    char *food = mmap(0, 256 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (food == MAP_FAILED) return 50;
    memset(food, 1, 256 << 20);
    return 51;
}
