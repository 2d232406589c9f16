// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

// The guest's hardware, emulated for real drivers of the kernel: an accelerometer and a proximity sensor behind a HID
// sensor hub, a proximity switch, a battery and an adapter.
//
//   hardware FIFO        executes the commands in the lines of FIFO, and prints a line after each
//
//   accelerometer X Y Z  thousandths of g
//   proximity N          in units of the sensor
//   switch 0|1           SW_FRONT_PROXIMITY
//   pack PERCENT STATUS  discharging, charging or idle; a final "quietly" suppresses the firmware's notification
//   adapter 0|1
//   NAME gone            removes a device; its first values add it
#include "hardware.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <linux/uinput.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void complain(const char *what) {
    fprintf(stderr, "hardware: %s: %s\n", what, strerror(errno));
}

static struct sensor sensors[] = {
    {"accelerometer", 0x73, 0x0453, 0xD, 3, -1, {0}, {1, 0, 0, 10}},
    {"proximity", 0x11, 0x04B1, 0x0, 1, -1, {0}, {1, 0, 0, 10}},
};
enum { sensor_count = sizeof sensors / sizeof *sensors };
// In milliseconds, long enough for an emulated processor.
enum { measuring_interval = 20 };

// MARK: - The switch

static int switch_fd = -1;

static void switch_set(int value) {
    if (switch_fd < 0) {
        struct uinput_setup setup = {.id = {BUS_HOST, 0x1209, 0x0001, 1}, .name = "proximity switch"};
        switch_fd = open("/dev/uinput", O_RDWR | O_CLOEXEC);
        if (switch_fd < 0 || ioctl(switch_fd, UI_SET_EVBIT, EV_SW) < 0
            || ioctl(switch_fd, UI_SET_SWBIT, SW_FRONT_PROXIMITY) < 0 || ioctl(switch_fd, UI_DEV_SETUP, &setup) < 0
            || ioctl(switch_fd, UI_DEV_CREATE) < 0) complain("/dev/uinput");
    }
    struct input_event events[] = {
        {.type = EV_SW, .code = SW_FRONT_PROXIMITY, .value = value}, {.type = EV_SYN, .code = SYN_REPORT}};
    if (write(switch_fd, events, sizeof events) < 0) complain("switch");
}

// MARK: - Commands

static void gone(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static void obey(char *line) {
    char *words[5] = {"", "", "", "", ""}, *word = strtok(line, " \n");
    for (int i = 0; word && i < 5; i++, word = strtok(NULL, " \n")) words[i] = word;
    int is_gone = !strcmp(words[1], "gone");
    for (int i = 0; i < sensor_count; i++) {
        if (strcmp(words[0], sensors[i].name)) continue;
        if (is_gone) return gone(&sensors[i].fd);
        for (int axis = 0; axis < sensors[i].count; axis++) sensors[i].values[axis] = atoi(words[1 + axis]);
        return sensor_set(&sensors[i]);
    }
    if (!strcmp(words[0], "switch")) return is_gone ? gone(&switch_fd) : switch_set(atoi(words[1]));
    if (!strcmp(words[0], "pack") && is_gone) return pack_gone();
    if (!strcmp(words[0], "pack")) return pack_set(atoi(words[1]), words[2], !strcmp(words[3], "quietly"));
    if (!strcmp(words[0], "adapter")) return adapter_set(atoi(words[1]));
    fprintf(stderr, "hardware: no such device: %s\n", words[0]);
}

int main(int argc, char **argv) {
    // Opened for writing too, so that the commands do not end when a writer closes the FIFO.
    FILE *commands = argc == 2 ? fopen(argv[1], "r+") : NULL;
    if (!commands || power_open() < 0) return complain("start"), 1;
    // No line may remain in a buffer, where poll does not detect it.
    setvbuf(commands, NULL, _IONBF, 0);
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct pollfd wait[1 + sensor_count] = {{.fd = fileno(commands), .events = POLLIN}};
    while (1) {
        int is_measuring = 0;
        for (int i = 0; i < sensor_count; i++) is_measuring |= sensor_is_measuring(&sensors[i]);
        for (int i = 0; i < sensor_count; i++) wait[1 + i] = (struct pollfd){.fd = sensors[i].fd, .events = POLLIN};
        int ready = poll(wait, 1 + sensor_count, is_measuring ? measuring_interval : -1);
        if (ready < 0) return complain("poll"), 1;
        for (int i = 0; ready == 0 && i < sensor_count; i++) {
            if (sensor_is_measuring(&sensors[i])) sensor_set(&sensors[i]);
        }
        for (int i = 0; i < sensor_count; i++) {
            if (wait[1 + i].revents) sensor_answer(&sensors[i]);
        }
        char line[80];
        if (wait[0].revents && fgets(line, sizeof line, commands)) {
            obey(line);
            puts("done");
        }
    }
}
