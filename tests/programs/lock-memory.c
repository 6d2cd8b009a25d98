#include "escape.h"
int main(void) {
    void *food = malloc(8 << 20);
    refused("mlock", mlock(food, 8 << 20), ENOMEM);
}
