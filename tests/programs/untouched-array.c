// Requested, and never used.
static char array[256 << 20];
int main(int argc, char **argv) { return ((volatile char *)array)[argc * 12345]; }
