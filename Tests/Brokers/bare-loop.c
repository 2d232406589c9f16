// SPDX-License-Identifier: Apache-2.0

// The baseline: forwards what publishers send to all subscribers, the least that any broker on epoll has to do.
// It listens on a Unix socket at its argument. The first byte of a connection is `S` for a subscriber or `P` for a
// publisher. A subscriber receives its `S` back. A message for which a subscriber's socket has no room is dropped.

#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// More than the descriptor limits of the benchmark.
enum { most = 65536, batch = 512 };

static int subscribers[most];
static int subscriber_count;
static char kinds[most];

static void leave(int connection) {
    for (int index = 0; kinds[connection] == 'S' && index < subscriber_count; index++) {
        if (subscribers[index] != connection) continue;
        subscribers[index] = subscribers[--subscriber_count];
        break;
    }
    kinds[connection] = 0;
    close(connection);
}

static void receive(int connection) {
    static char bytes[65536];
    ssize_t length = recv(connection, bytes, sizeof bytes, 0);
    if (length <= 0) {
        if (length == 0 || errno != EAGAIN) leave(connection);
    } else if (kinds[connection] == 0) {
        kinds[connection] = bytes[0];
        if (bytes[0] == 'S') subscribers[subscriber_count++] = connection;
        send(connection, bytes, 1, MSG_NOSIGNAL);
    } else if (kinds[connection] == 'P') {
        for (int index = 0; index < subscriber_count; index++) send(subscribers[index], bytes, (size_t)length, MSG_NOSIGNAL);
    }
}

static int watch(int loop, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    return epoll_ctl(loop, EPOLL_CTL_ADD, descriptor, &event);
}

int main(int count, char **arguments) {
    const char *path = count == 2 ? arguments[1] : "";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return ENAMETOOLONG;
    strcpy(address.sun_path, path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int loop = epoll_create1(EPOLL_CLOEXEC);
    if (listener < 0 || loop < 0) return errno;
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, SOMAXCONN) < 0) return errno;
    if (watch(loop, listener) < 0) return errno;
    struct epoll_event events[batch];
    for (;;) {
        int ready = epoll_wait(loop, events, batch, -1);
        if (ready < 0 && errno != EINTR) return errno;
        for (int index = 0; index < ready; index++) {
            int descriptor = events[index].data.fd;
            if (descriptor != listener) {
                receive(descriptor);
                continue;
            }
            int connection = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (connection < 0) continue;
            if (connection >= most || watch(loop, connection) < 0) close(connection);
        }
    }
}
