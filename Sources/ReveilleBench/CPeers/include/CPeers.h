// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

#pragma once
#include <stddef.h>

// Forwards what publishers send to all subscribers, until it is killed: the least that any broker on epoll has to do.
//
// It listens on a Unix socket at `path`. The first byte of a connection is `S` for a subscriber, which receives it back,
// or `P` for a publisher. A message for which a subscriber's socket has no room is dropped.
// Returns the errno of a failed system call.
int c_peers_run_bare_loop(const char *path);

// Creates a set of connections to receive from. Returns its descriptor, or -1 and errno.
int c_peers_clients(void);

// Adds a connection. Returns -1 and errno on failure.
int c_peers_add(int clients, int connection);

// Reads from the connections until `count` occurrences of `last_byte` have been received, or nothing has been for
// `patience` milliseconds. What `publisher` receives is not counted.
// Returns the number, or -1 and errno; ECONNRESET if a connection has ended.
long c_peers_receive(int clients, int publisher, long count, int last_byte, int patience);

// Returns the number of bytes that this process has allocated with malloc(3) and not released.
size_t c_peers_heap(void);

// Confines the calling thread, and the processes that it starts from now on, to one processor.
// Returns -1 and errno on failure.
int c_peers_use_processor(int number);
