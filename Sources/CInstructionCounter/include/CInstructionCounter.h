// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

#pragma once

// Opens a counter of the instructions that the calling thread executes in user mode (perf_event_open(2)), which
// stands still; -1 and errno on failure.
int c_instruction_counter_open(void);

// Sets a counter to 0 and has it count.
void c_instruction_counter_start(int counter);

// Stops a counter: what it counted; -1 when the processor did not count all the time.
long long c_instruction_counter_stop(int counter);
