#include "escape.h"
int main(void) { burn(); }
