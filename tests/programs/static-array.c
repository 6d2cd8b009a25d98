// If it were read from the file, it would be held before the first line of the program; here it is held when touched.
static char array[256 << 20];
int main(void) {
    for (unsigned i = 0; i < sizeof array; i += 4096) ((volatile char *)array)[i] = 1;
    return 51;
}
