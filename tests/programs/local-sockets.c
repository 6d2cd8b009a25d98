// Services of the machine that listen on files, and on names that are no files.
#include "escape.h"
#include <sys/un.h>
int main(void) {
    static const char *places[] = {"/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket",
                                   "/run/systemd/private", "/run/containerd/containerd.sock", "/tmp/.X11-unix/X0"};
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        struct sockaddr_un name = {.sun_family = AF_UNIX};
        strcpy(name.sun_path, places[i]);
        if (!connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&name, sizeof name)) escaped(places[i]);
    }
    FILE *names = fopen("/proc/net/unix", "r");
    char line[512];
    while (names && fgets(line, sizeof line, names))
        if (strchr(line, '@')) escaped(line);
}
