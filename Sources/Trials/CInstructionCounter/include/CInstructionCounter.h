// SPDX-License-Identifier: Apache-2.0

#pragma once

// Opens a stopped counter of the instructions that the calling thread executes in user mode (perf_event_open(2)).
// Returns -1 and errno on failure.
int c_instruction_counter_open(void);

// Resets a counter to 0 and starts it.
void c_instruction_counter_start(int counter);

// Stops a counter and returns its count; -1 if the processor did not count for the whole time.
long long c_instruction_counter_stop(int counter);
