// Changes how programs are loaded, for itself only: the next run must not see it.
#include "escape.h"
#include <sys/personality.h>
int main(void) {
    if (personality(0xffffffff)) escaped("the last run's personality");
    personality(ADDR_NO_RANDOMIZE | READ_IMPLIES_EXEC | 0x0008);
}
