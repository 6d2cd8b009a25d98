// Holds as many MiB as its second argument says, where its own mappings do not show them; the first argument names the
// place.
#include "escape.h"
#include <pthread.h>
#include <sys/un.h>

enum { MIB = 1 << 20, HUGE = 2 * MIB };
static char block[MIB];
static long amount;

static char *take(long length, int flags) {
    char *food = mmap(NULL, length, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    if (food == MAP_FAILED) _exit(90);
    for (long at = 0; at < length; at += 4096) food[at] = 1;
    return food;
}

static int new_file(void) {
    int file = memfd_create("file", 0);
    if (file < 0 || write(file, block, sizeof block) != sizeof block) _exit(91);
    return file;
}

// Neither a name nor a descriptor is left of these files.
static void in_mapped_files(void) {
    for (long n = 0; n < amount; n++) {
        int file = new_file();
        if (mmap(NULL, MIB, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED) _exit(92);
        close(file);
    }
}

static void in_a_removed_file(void) {
    int file = open("/tmp/removed", O_CREAT | O_RDWR, 0600);
    unlink("/tmp/removed");
    for (long n = 0; n < amount; n++)
        if (write(file, block, sizeof block) != sizeof block) _exit(93);
}

static void send_file(int to, int file) {
    char byte = 0, space[CMSG_SPACE(sizeof file)] = {0};
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof file), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(header), &file, sizeof file);
    if (sendmsg(to, &message, 0) != 1) _exit(94);
}

// Only messages that nobody reads refer to these files.
static void in_sent_files(void) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) _exit(95);
    for (long n = 0; n < amount; n++) {
        int file = new_file();
        send_file(ends[0], file);
        close(file);
    }
}

// What it wrote waits for a listener that never accepts. It closes its own ends.
static void in_a_queue(void) {
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0queue"};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (void *)&name, 9) || listen(listener, 4096)) _exit(96);
    for (long left = amount * MIB; left > 0;) {
        int end = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        if (connect(end, (void *)&name, 9)) _exit(97);
        for (ssize_t length; left > 0 && (length = write(end, block, 4096)) > 0;) left -= length;
        close(end);
    }
}

// In children that wait until the last one has its part.
static void in_children(int flags, char *shared) {
    enum { CHILDREN = 4 };
    int ready[2];
    if (pipe(ready)) _exit(98);
    for (int child = 0; child < CHILDREN; child++) {
        if (fork()) continue;
        if (!shared) take(amount * MIB / CHILDREN, flags);
        for (long at = 0; shared && at < amount * MIB / CHILDREN; at += 4096) shared[at] = 2;
        write(ready[1], "x", 1);
        for (;;) pause();
    }
    char byte;
    for (int child = 0; child < CHILDREN; child++) read(ready[0], &byte, 1);
}

// Another program has the file's descriptor, and does not know it.
static void in_another_program(void) {
    int file = memfd_create("file", 0);
    for (long n = 0; n < amount / 2; n++) write(file, block, sizeof block);
    if (!fork()) execl("/bin/sh", "sh", "-c", "while :; do sleep 1; done", NULL);
    close(file);
    take(amount / 2 * MIB, MAP_PRIVATE);
}

// To read a page of memory that nobody wrote to costs a table of such pages, but no page.
static void in_tables(void) {
    volatile char *wide = mmap(NULL, amount * 256 * HUGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (wide == MAP_FAILED) _exit(99);
    madvise((void *)wide, amount * 256 * HUGE, MADV_NOHUGEPAGE);
    for (long table = 0; table < amount * 256; table++) (void)wide[table * HUGE];
}

// A page for each target that is too long for the link itself.
static void in_links(void) {
    static char target[4095], name[32];
    memset(target, 'x', sizeof target - 1);
    for (long link = 0; link < amount * 256; link++) {
        snprintf(name, sizeof name, "/tmp/link%ld", link);
        if (symlink(target, name)) _exit(100);
    }
}

static void *wait_in_thread(void *stack) {
    for (;;) pause();
    return stack;
}

static void in_stacks(void) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    for (long thread = 0; thread < amount / 4; thread++) {
        pthread_t ignored;
        pthread_attr_setstack(&attributes, take(4 * MIB, MAP_PRIVATE | MAP_STACK), 4 * MIB);
        if (pthread_create(&ignored, &attributes, wait_in_thread, NULL)) _exit(101);
    }
}

int main(int argc, char **argv) {
    const char *place = argc > 1 ? argv[1] : "";
    amount = argc > 2 ? atol(argv[2]) : 0;
    memset(block, 'x', sizeof block);
    if (!strcmp(place, "mapped-files")) in_mapped_files();
    if (!strcmp(place, "removed-file")) in_a_removed_file();
    if (!strcmp(place, "sent-files")) in_sent_files();
    if (!strcmp(place, "queue")) in_a_queue();
    if (!strcmp(place, "shared-children")) in_children(MAP_SHARED, NULL);
    if (!strcmp(place, "copying-children")) in_children(0, take(amount * MIB / 4, MAP_PRIVATE));
    if (!strcmp(place, "another-program")) in_another_program();
    if (!strcmp(place, "tables")) in_tables();
    if (!strcmp(place, "links")) in_links();
    if (!strcmp(place, "stacks")) in_stacks();
    return 0;
}
