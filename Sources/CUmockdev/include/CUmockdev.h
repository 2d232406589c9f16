// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

#pragma once

// A program that links this target becomes the host of a umockdev testbed when it is started with this
// variable in its environment, and libumockdev-preload loaded; it then never reaches its main function.
//
// The host is a process of its own because umockdev sends uevents only from inside a process that sees the
// synthetic /sys, and because a testbed belongs to the environment of a whole process.
#define C_REVEILLE_TESTBED "REVEILLE_TESTBED_HOST"

// With this one it becomes a bus that sees the testbed's devices; its value is the bus's address.
#define C_REVEILLE_PHONE_BUS "REVEILLE_PHONE_BUS"

// The first variable's name, so that Swift sees it; naming it also links the host in.
const char *c_reveille_testbed_variable(void);

// pipe2(2) with O_CLOEXEC, which Swift cannot call: an end that another child inherits would keep a host alive.
int c_reveille_pipe(int ends[2]);
