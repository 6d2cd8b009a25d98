static int dive(int depth) {
    volatile char room[4096];
    room[0] = (char)depth;
    return dive(depth + 1) + room[0];
}
int main(void) { return dive(0); }
