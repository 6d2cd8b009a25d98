// Tries to keep the other half of its core idle.
#include "escape.h"
int main(void) { refused("core scheduling", prctl(62, 1, 0, 0, 0), EPERM); }
