// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CInstructionCounter.h"
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int c_instruction_counter_open(void) {
    struct perf_event_attr attributes = {
        .size = sizeof attributes,
        .type = PERF_TYPE_HARDWARE,
        .config = PERF_COUNT_HW_INSTRUCTIONS,
        .disabled = 1,
        .pinned = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void c_instruction_counter_start(int counter) {
    ioctl(counter, PERF_EVENT_IOC_RESET, 0);
    ioctl(counter, PERF_EVENT_IOC_ENABLE, 0);
}

long long c_instruction_counter_stop(int counter) {
    ioctl(counter, PERF_EVENT_IOC_DISABLE, 0);
    long long count = 0;
    // Reading a pinned counter that another one has displaced returns the end of file.
    return read(counter, &count, sizeof count) == sizeof count ? count : -1;
}
