// Uses as much as it can of the resource that its first argument names.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void burn(long milliseconds) {
    struct timespec now;
    do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    while (milliseconds < 0 || now.tv_sec * 1000 + now.tv_nsec / 1000000 < milliseconds);
}

static void *burn_too(void *milliseconds) {
    burn((long)milliseconds);
    return NULL;
}

static void *wait_for_ever(void *unused) {
    pause();
    return unused;
}

static void eat(size_t bytes) {
    volatile char *food = malloc(bytes);
    if (!food) exit(3);
    for (size_t i = 0; i < bytes; i += 4096) food[i] = 1;
}

static char array[300 << 20];

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    long amount = argc > 2 ? atol(argv[2]) : 0;
    if (!strcmp(what, "cpu")) burn(amount);
    if (!strcmp(what, "cpu-in-threads")) {
        pthread_t threads[14];
        for (int i = 0; i < 14; i++) pthread_create(&threads[i], NULL, burn_too, (void *)amount);
        burn(amount);
        for (int i = 0; i < 14; i++) pthread_join(threads[i], NULL);
    }
    if (!strcmp(what, "cpu-in-children"))
        for (int i = 0; i < 2; i++) {
            if (!fork()) burn(-1);
            if (i == 1) while (wait(NULL) > 0);
        }
    if (!strcmp(what, "hidden-cpu")) {
        // Children that nobody waits for do not count in the usage of their parent.
        signal(SIGCHLD, SIG_IGN);
        int ends[2];
        if (pipe(ends)) return 90;
        if (!fork()) {
            burn(amount);
            _exit(0);
        }
        close(ends[1]);
        char end;
        return read(ends[0], &end, 1) != 0;
    }
    if (!strcmp(what, "cpu-then-sleep")) burn(amount), sleep(1000);
    if (!strcmp(what, "sleep")) sleep(1000);
    if (!strcmp(what, "memory")) eat((size_t)amount << 20);
    if (!strcmp(what, "array")) memset(array, 1, sizeof array);
    if (!strcmp(what, "shared-memory")) {
        // Many processes hold it once.
        eat((size_t)amount << 20);
        for (int i = 0; i < 8; i++)
            if (!fork()) {
                usleep(200000);
                _exit(0);
            }
        while (wait(NULL) > 0);
    }
    if (!strcmp(what, "untouched-array")) return array[12345];
    if (!strcmp(what, "memory-in-child")) {
        if (!fork()) {
            eat((size_t)amount << 20);
            _exit(0);
        }
        int status;
        wait(&status);
        return WIFSIGNALED(status) ? 4 : 0;
    }
    if (!strcmp(what, "forks")) {
        // Counts how many it gets at once.
        int count = 0;
        for (; count < 1000; count++) {
            pid_t pid = fork();
            if (pid < 0) break;
            if (!pid) wait_for_ever(NULL);
        }
        printf("%d", count);
    }
    if (!strcmp(what, "threads")) {
        int count = 0;
        pthread_t thread;
        while (count < 1000 && !pthread_create(&thread, NULL, wait_for_ever, NULL)) count++;
        printf("%d", count);
    }
    if (!strcmp(what, "bomb"))
        for (;;) fork();
    if (!strcmp(what, "output") || !strcmp(what, "errors")) {
        static char block[1 << 16];
        memset(block, 'x', sizeof block);
        int to = what[0] == 'o' ? 1 : 2;
        while (write(to, block, sizeof block) > 0);
        return 6;
    }
    if (!strcmp(what, "input")) {
        // Again and again; a program that waits for more sees the end at once.
        static char block[1 << 16];
        long total = 0, length;
        while ((length = read(0, block, sizeof block)) > 0) total += length;
        printf("%ld", total);
    }
    if (!strcmp(what, "box") || !strcmp(what, "names")) {
        int full = 0;
        for (long i = 0; i < 1000000 && !full; i++) {
            char name[32];
            sprintf(name, "f%ld", i);
            int file = open(name, O_CREAT | O_WRONLY, 0644);
            static char block[1 << 20];
            full = file < 0 || (what[0] == 'b' && write(file, block, sizeof block) < (long)sizeof block);
            if (full) printf("%s", errno == ENOSPC || errno == 0 ? "full" : strerror(errno));
            close(file);
        }
    }
    if (!strcmp(what, "sparse")) return open("out", O_CREAT | O_WRONLY, 0644) < 0 || truncate("out", amount << 20);
    return 0;
}
