// SPDX-License-Identifier: Apache-2.0

// Input devices, with uinput: switches, and an accelerometer with a gyroscope.
#include "hardware.h"

#include <fcntl.h>
#include <linux/input.h>
#include <linux/uinput.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct {
    const char *name;
    int code;
    int fd;
} switches[] = {{"switch", SW_FRONT_PROXIMITY, -1}, {"lid", SW_LID, -1}, {"dock", SW_DOCK, -1}};
enum { switch_count = sizeof switches / sizeof *switches };
static int mover_fd = -1;

static void gone(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

int switch_number(const char *name) {
    for (int i = 0; i < switch_count; i++) {
        if (!strcmp(switches[i].name, name)) return i;
    }
    return -1;
}

void switch_set(int number, int value) {
    int code = switches[number].code, fd = switches[number].fd;
    if (fd < 0) {
        struct uinput_setup setup = {.id = {BUS_HOST, 0x1209, 0x0010 + number, 1}};
        strcpy(setup.name, switches[number].name);
        switches[number].fd = fd = open("/dev/uinput", O_RDWR | O_CLOEXEC);
        if (fd < 0 || ioctl(fd, UI_SET_EVBIT, EV_SW) < 0 || ioctl(fd, UI_SET_SWBIT, code) < 0
            || ioctl(fd, UI_DEV_SETUP, &setup) < 0 || ioctl(fd, UI_DEV_CREATE) < 0) complain("/dev/uinput");
    }
    struct input_event events[] = {
        {.type = EV_SW, .code = code, .value = value}, {.type = EV_SYN, .code = SYN_REPORT}};
    if (write(fd, events, sizeof events) < 0) complain(switches[number].name);
}

void switch_gone(int number) {
    gone(&switches[number].fd);
}

// The axes ABS_X to ABS_Z and ABS_RX to ABS_RZ have consecutive codes.
void mover_set(const int32_t values[6]) {
    if (mover_fd < 0) {
        struct uinput_setup setup = {.id = {BUS_HOST, 0x1209, 0x0002, 1}, .name = "mover"};
        mover_fd = open("/dev/uinput", O_RDWR | O_CLOEXEC);
        if (mover_fd < 0 || ioctl(mover_fd, UI_SET_EVBIT, EV_ABS) < 0
            || ioctl(mover_fd, UI_SET_PROPBIT, INPUT_PROP_ACCELEROMETER) < 0
            || ioctl(mover_fd, UI_DEV_SETUP, &setup) < 0) complain("/dev/uinput");
        for (int axis = ABS_X; axis <= ABS_RZ; axis++) {
            // In units per g, and per degree per second.
            struct uinput_abs_setup range = {
                .code = axis, .absinfo = {.minimum = -1000000, .maximum = 1000000, .resolution = 1000}};
            if (ioctl(mover_fd, UI_ABS_SETUP, &range) < 0) complain("/dev/uinput");
        }
        if (ioctl(mover_fd, UI_DEV_CREATE) < 0) complain("/dev/uinput");
    }
    struct input_event events[7] = {[6] = {.type = EV_SYN, .code = SYN_REPORT}};
    for (int axis = ABS_X; axis <= ABS_RZ; axis++) {
        events[axis] = (struct input_event){.type = EV_ABS, .code = axis, .value = values[axis]};
    }
    if (write(mover_fd, events, sizeof events) < 0) complain("mover");
}

void mover_gone(void) {
    gone(&mover_fd);
}
