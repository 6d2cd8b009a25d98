#include <pthread.h>
#include <unistd.h>
static void *stay(void *) {
    for (;;) pause();
}
int main() {
    pthread_t thread;
    for (;;) pthread_create(&thread, nullptr, stay, nullptr);
}
