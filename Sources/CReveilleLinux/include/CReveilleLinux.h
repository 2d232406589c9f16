// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

#pragma once
#include <sys/types.h>

// What Swift cannot call by itself: functions and requests that need _GNU_SOURCE or are macros.

// accept4(2) with SOCK_NONBLOCK and SOCK_CLOEXEC, without the peer's address.
int c_reveille_accept(int listener);

// The credentials of the process that connected (SO_PEERCRED, unix(7)); -1 and errno on failure.
int c_reveille_peer_credentials(int socket, pid_t *pid, uid_t *uid);

// A descriptor of the process that connected, to be closed: by SO_PEERPIDFD, before Linux 6.5 by pidfd_open(2) of
// `pid`, which is of SO_PEERCRED; -1 and errno on failure.
int c_reveille_peer_pidfd(int socket, pid_t pid);

// Memory held by what the peer has not read yet (SIOCOUTQ, unix(7)); 0 when it has read everything.
int c_reveille_unread(int socket, int *bytes);

// The name of an error number, such as "ENOSPC"; NULL for a number without one.
const char *c_reveille_error_name(int number);

// State of all switches of an input device (EVIOCGSW): fills at most `size` bytes of `bits`.
int c_reveille_switches(int device, unsigned char *bits, int size);

// One axis of an input device (EVIOCGABS): its value now and its resolution.
int c_reveille_axis(int device, int axis, int *value, int *resolution);

// A timer that never expires and becomes readable when the wall clock is set or the machine wakes up
// (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET); -1 and errno on failure.
int c_reveille_clock_change_timer(void);
