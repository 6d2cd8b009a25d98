// More than a process may request if no control group counts; then the program does not even begin.
static volatile char array[1600u << 20];
int main(void) {
    for (unsigned i = 0; i < sizeof array; i += 4096) array[i] = 1;
    return 51;
}
