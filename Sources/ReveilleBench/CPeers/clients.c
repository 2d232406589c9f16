// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

#define _GNU_SOURCE
#include "CPeers.h"
#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

int c_peers_clients(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

int c_peers_add(int clients, int connection) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = connection};
    return epoll_ctl(clients, EPOLL_CTL_ADD, connection, &event);
}

static long occurrences(const char *bytes, size_t length, int byte) {
    long count = 0;
    const char *end = bytes + length;
    while ((bytes = memchr(bytes, byte, (size_t)(end - bytes)))) {
        count++;
        if (++bytes == end) break;
    }
    return count;
}

long c_peers_receive(int clients, int publisher, long count, int last_byte, int patience) {
    static _Thread_local char bytes[65536];
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

size_t c_peers_heap(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

int c_peers_use_processor(int number) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(number, &set);
    return sched_setaffinity(0, sizeof set, &set);
}
