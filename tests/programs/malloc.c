#include <stdlib.h>
#include <string.h>
int main(void) {
    for (;;) {
        char *food = malloc(1 << 20);
        if (!food) return 50;
        memset(food, 1, 1 << 20);
    }
}
