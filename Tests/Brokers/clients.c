// SPDX-License-Identifier: Apache-2.0

// The clients of a broker: the same few system calls for all brokers, on one thread.

#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

static long occurrences(const char *bytes, size_t length, int byte) {
    long count = 0;
    const char *end = bytes + length;
    while ((bytes = memchr(bytes, byte, (size_t)(end - bytes)))) {
        count++;
        if (++bytes == end) break;
    }
    return count;
}

// Reads from the connections of an epoll set until `count` occurrences of `last_byte` have been received, or nothing has
// been for `patience` milliseconds. What `publisher` receives is not counted.
// Returns the number, or -1 and errno; ECONNRESET if a connection has ended.
long receive(int clients, int publisher, long count, int last_byte, int patience) {
    static char bytes[65536];
    struct epoll_event events[512];
    long received = 0;
    while (received < count) {
        int ready = epoll_wait(clients, events, sizeof events / sizeof events[0], patience);
        if (ready < 0 && errno != EINTR) return -1;
        if (ready == 0) break;
        for (int index = 0; index < ready; index++) {
            int connection = events[index].data.fd;
            ssize_t length = recv(connection, bytes, sizeof bytes, MSG_DONTWAIT);
            if (length < 0 && errno == EAGAIN) continue;
            if (length == 0) errno = ECONNRESET;
            if (length <= 0) return -1;
            if (connection != publisher) received += occurrences(bytes, (size_t)length, last_byte);
        }
    }
    return received;
}

static double microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

// Publishes two messages in turn, `count` in all, each when all subscribers have read the last one.
// Writes the time of each until the last subscriber has read it. Returns the number of messages that all have read, or -1
// and errno.
long publish(
    int clients, int publisher, const char *const messages[2], const size_t lengths[2], long count, long subscribers,
    int last_byte, int patience, double *times) {
    double start = microseconds();
    for (long number = 0; number < count; number++) {
        int which = number % 2;
        if (send(publisher, messages[which], lengths[which], MSG_NOSIGNAL) != (ssize_t)lengths[which]) return -1;
        long received = receive(clients, publisher, subscribers, last_byte, patience);
        if (received < subscribers) return received < 0 ? -1 : number;
        double end = microseconds();
        times[number] = end - start;
        start = end;
    }
    return count;
}
