// The signal of the kernel's own CPU limit, sent by the program: no limit was reached.
#include <signal.h>
int main(void) { raise(SIGXCPU); }
