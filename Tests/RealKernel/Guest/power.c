// SPDX-License-Identifier: Apache-2.0

// The battery and the adapter, through the bytes that power.asl defines.
#include "hardware.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum byte { PACK, STAT, LEFT, MAIN, TELL };

static int has_pack;

// Has the firmware's code run for the speed of a fan.
static void set_speed(int fan, int speed) {
    char path[64], text[8];
    snprintf(path, sizeof path, "/sys/bus/platform/devices/PNP0C0B:0%d/thermal_cooling/cur_state", fan);
    int length = snprintf(text, sizeof text, "%d", speed), fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, text, length) < 0) complain(path);
    if (fd >= 0) close(fd);
}

static void set(enum byte byte, int value) {
    set_speed(0, byte);
    set_speed(1, value);
}

void pack_set(int percent, const char *status, int quietly) {
    set(LEFT, percent);
    set(STAT, !strcmp(status, "idle") ? 0 : !strcmp(status, "charging") ? 2 : 1);
    set(PACK, 1);
    if (!quietly) set(TELL, has_pack ? 1 : 2);
    has_pack = 1;
}

void pack_gone(void) {
    set(PACK, 0);
    set(TELL, 2);
    has_pack = 0;
}

void adapter_set(int is_online) {
    set(MAIN, is_online);
    set(TELL, 4);
}
