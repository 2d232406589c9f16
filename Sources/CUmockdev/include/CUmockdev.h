// SPDX-License-Identifier: Apache-2.0

#pragma once

// A program that links this target becomes the host of a umockdev testbed when it is started with this variable
// in its environment and with libumockdev-preload. It then never reaches its main function.
//
// The host is a separate process because umockdev sends uevents only from a process that sees the synthetic /sys,
// and because a testbed applies to a whole process.
#define C_REVEILLE_TESTBED "REVEILLE_TESTBED_HOST"

// With this variable, the program becomes the bus of a synthetic phone: it calls `reveille_run_phone_bus`, which
// ReveilleTesting exports, with the arguments of main. A phone's bus therefore requires no installed program.
#define C_REVEILLE_PHONE_BUS "REVEILLE_PHONE_BUS"

// Return the names of the variables for Swift. Calling one also links the host.
const char *c_reveille_testbed_variable(void);
const char *c_reveille_phone_bus_variable(void);

// pipe2(2) with O_CLOEXEC, which Swift cannot call. An end inherited by another child would keep a host alive.
int c_reveille_pipe(int ends[2]);
