// SPDX-License-Identifier: Apache-2.0

#pragma once
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/types.h>

// Functions and requests that Swift cannot call directly because they require _GNU_SOURCE or are macros.

// Return the number of arguments of this process, its name included, and the arguments, followed by a NULL.
int c_reveille_argument_count(void);
char **c_reveille_arguments(void);

// accept4(2) with SOCK_NONBLOCK and SOCK_CLOEXEC, without the peer's address.
int c_reveille_accept(int listener);

// Gets the credentials of the process that connected (SO_PEERCRED, unix(7)); -1 and errno on failure.
int c_reveille_peer_credentials(int socket, pid_t *pid, uid_t *uid);

// Returns a pidfd of the process that connected, which the caller closes: from SO_PEERPIDFD or, before Linux 6.5, by
// pidfd_open(2) of `pid`, which must come from SO_PEERCRED. Returns -1 and errno on failure.
int c_reveille_peer_pidfd(int socket, pid_t pid);

// Sends a signal to the process of a pidfd (pidfd_send_signal(2)). Returns -1 and errno on failure.
int c_reveille_signal(int pidfd, int signal);

// Returns a pidfd of a child that has not been waited for (pidfd_open(2)), which the caller closes. Returns -1 and errno
// on failure.
int c_reveille_pidfd(pid_t pid);

// Gets the memory held by data that the peer has not read (SIOCOUTQ, unix(7)); 0 if it has read everything.
int c_reveille_unread(int socket, int *bytes);

// Returns the name of an error number, such as "ENOSPC"; NULL if it has none.
const char *c_reveille_error_name(int number);

// Gets the state of all switches of an input device (EVIOCGSW), in at most `size` bytes of `bits`.
int c_reveille_switches(int device, unsigned char *bits, int size);

struct c_reveille_axis {
    int value, minimum, maximum, resolution;
};

// Gets an axis of an input device (EVIOCGABS). Returns -1 and errno on failure.
int c_reveille_read_axis(int device, int axis, struct c_reveille_axis *result);

// Creates an unset timer of the wall clock (timerfd_create(2)), which may wake the machine. Returns -1 and errno on
// failure; EOPNOTSUPP if nothing can wake this machine.
int c_reveille_alarm(int wakes);

// Sets an alarm to a time in microseconds since 1970, at least 1, or turns it off with 0. It is also readable when the
// clock is set or the machine resumes (TFD_TIMER_CANCEL_ON_SET). Returns -1 and errno on failure; with ECANCELED, the
// clock was set since the last read, and the alarm is set nevertheless.
int c_reveille_set_alarm(int alarm, long long microseconds);

// Gives the calling thread a umask and a working directory of its own (unshare(2), CLONE_FS). Returns -1 and errno on
// failure.
int c_reveille_unshare_umask(void);

// Returns how often the calling thread has slept (getrusage(2), RUSAGE_THREAD).
long c_reveille_sleeps(void);
// The properties of a directory entry. `born` is 0 if the file system does not record when files were created.
struct c_reveille_entry {
    unsigned int mode;
    unsigned long long device, inode, size;
    long long modified, born; // nanoseconds since 1970
};

// Gets the properties of an entry of an open directory, or with the name "" of the directory itself (statx(2)). Links are
// not followed. Returns -1 and errno on failure.
int c_reveille_entry(int directory, const char *name, struct c_reveille_entry *entry);

// Creates an empty file in memory, which programs do not inherit (memfd_create(2)). The name is shown in /proc. Returns
// -1 and errno on failure.
int c_reveille_memory_file(const char *name);

// Reserves room on the disk for bytes of a file from an offset, also beyond its end (fallocate(2)). Returns -1 and errno
// on failure.
int c_reveille_reserve(int descriptor, long long offset, long long count);

// Returns free pages of the heap to the kernel, and unmaps all code and constants (MADV_DONTNEED), which the kernel maps
// again from the page cache when they are next used. Breakpoints that a debugger has set are lost.
void c_reveille_release_memory(void);

// Closes all descriptors from a number in the program that is started (posix_spawn_file_actions_addclosefrom_np). The
// actions are a posix_spawn_file_actions_t, which the module Glibc defines.
int c_reveille_close_from(void *actions, int first);

// Makes the program lead a session of its own (POSIX_SPAWN_SETSID). The attributes are a posix_spawnattr_t; all other
// flags must be set before.
void c_reveille_spawn_in_session(void *attributes);

// Makes the orphaned descendants of this process its children (prctl(2), PR_SET_CHILD_SUBREAPER). Returns -1 and errno on
// failure.
int c_reveille_adopt_orphans(void);

// Starts a process that removes a cgroup once it is empty, but not before this process has executed another program or
// ended. The new process is not a child of this one, has none of its descriptors, and is in another session. Returns 0, or
// -1 and errno on failure.
int c_reveille_remove_cgroup_when_empty(const char *directory);

// Returns whether the wall clock is synchronized with a source of time (adjtimex(2)).
int c_reveille_clock_is_synchronized(void);

// Creates a socket for rtnetlink(7), optionally for the changes of links, addresses and routes. Returns -1 and errno on
// failure.
int c_reveille_route_socket(int is_listening);

// Request all links, addresses, or routes of one family of addresses. Return -1 and errno on failure.
int c_reveille_route_request_links(int socket);
int c_reveille_route_request_addresses(int socket);
int c_reveille_route_request_routes(int socket, int is_version6);

// Receives a datagram from the kernel, and ignores other processes' datagrams. Returns its length, which may exceed
// `size`; -1 and errno on failure.
ssize_t c_reveille_route_receive(int socket, void *buffer, size_t size);
