// A daemon of another session works while the program itself sleeps.
#include "escape.h"
int main(void) {
    if (!fork()) {
        setsid();
        if (!fork()) burn();
        _exit(0);
    }
    for (;;) pause();
}
