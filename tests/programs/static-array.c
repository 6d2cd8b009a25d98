// Memory that is read from the file is in use before the program starts. This memory is in use after the first write.
static char array[256 << 20];
int main(void) {
    for (unsigned i = 0; i < sizeof array; i += 4096) ((volatile char *)array)[i] = 1;
    return 51;
}
