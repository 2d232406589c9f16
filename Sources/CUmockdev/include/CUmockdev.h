// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

#pragma once

// A program that links this target becomes the host of a umockdev testbed when it is started with this
// variable in its environment, and libumockdev-preload loaded; it then never reaches its main function.
//
// The host is a process of its own because umockdev sends uevents only from inside a process that sees the
// synthetic /sys, and because a testbed belongs to the environment of a whole process.
#define C_REVEILLE_TESTBED "REVEILLE_TESTBED_HOST"

// With this variable, it becomes the bus of a synthetic phone: it calls `reveille_run_phone_bus`, which
// ReveilleTesting exports, with the arguments of main. So a phone has a bus wherever the test kit is, without another
// program installed.
#define C_REVEILLE_PHONE_BUS "REVEILLE_PHONE_BUS"

// The names of the variables, so that Swift sees them; naming one also links the host in.
const char *c_reveille_testbed_variable(void);
const char *c_reveille_phone_bus_variable(void);

// pipe2(2) with O_CLOEXEC, which Swift cannot call: an end that another child inherits would keep a host alive.
int c_reveille_pipe(int ends[2]);
