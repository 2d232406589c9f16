// SPDX-License-Identifier: Apache-2.0

// The battery and the adapter, through the words that power.asl defines.
#include "hardware.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/io.h>
#include <unistd.h>

enum word { PACK, STAT, FLOW, LEFT, MAIN, TELL, TOLD };
enum { box = 0x07FF0000, full = 50000, com2 = 0x2F8 };
static int memory = -1;

int power_open(void) {
    memory = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
    return memory < 0 ? -1 : ioperm(com2, 8, 1);
}

static uint32_t get(enum word word) {
    uint32_t value = 0;
    if (pread(memory, &value, 4, box + 4 * word) != 4) complain("/dev/mem");
    return value;
}

static void set(enum word word, uint32_t value) {
    if (pwrite(memory, &value, 4, box + 4 * word) != 4) complain("/dev/mem");
}

// Runs the firmware's code and waits for its completion, so that notifications are not merged.
static void notify(uint32_t notification) {
    uint32_t count = get(TOLD);
    set(TELL, notification);
    outb(0, com2 + 1);
    outb(2, com2 + 1); // interrupt when the transmitter is empty: now
    for (int i = 0; i < 3000 && get(TOLD) == count; i++) usleep(1000);
    outb(0, com2 + 1);
    errno = ETIMEDOUT;
    if (get(TOLD) == count) complain("the firmware's event");
}

void pack_set(int percent, const char *status, int quietly) {
    int was_there = get(PACK), idle = !strcmp(status, "idle");
    set(LEFT, full / 100 * percent);
    set(STAT, idle ? 0 : !strcmp(status, "charging") ? 2 : 1);
    set(FLOW, idle ? 0 : 9000);
    set(PACK, 1);
    if (!quietly) notify(was_there ? 1 : 2);
}

void pack_gone(void) {
    set(PACK, 0);
    notify(2);
}

void adapter_set(int is_online) {
    set(MAIN, is_online);
    notify(4);
}
