#include <stdio.h>
int main(void) {
    static char block[1 << 16];
    FILE *file = fopen("large", "w");
    while (file) fwrite(block, 1, sizeof block, file);
    return 90;
}
