// SPDX-License-Identifier: Apache-2.0

// The guest's hardware, emulated for real drivers of the kernel: sensors behind a HID sensor hub and on an I2C bus,
// input devices, a battery and an adapter.
//
//   hardware FIFO        executes the commands in the lines of FIFO, and prints a line after each
//
//   accelerometer X Y Z  thousandths of g; "shocks" instead means a different strong acceleration at each request
//   gyroscope X Y Z      thousandths of a degree per second
//   light N              lux
//   proximity N          in units of the sensor
//   switch 0|1           SW_FRONT_PROXIMITY
//   lid 0|1, dock 0|1    SW_LID, SW_DOCK
//   mover X Y Z X Y Z    an input device: thousandths of g, thousandths of a degree per second
//   chips X Y Z X Y Z    the same for chips on an I2C bus
//   pack PERCENT STATUS  discharging, charging or idle; a final "quietly" suppresses the firmware's notification
//   adapter 0|1
//   NAME gone            removes a device; its first values add it
#include "hardware.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void complain(const char *what) {
    fprintf(stderr, "hardware: %s: %s\n", what, strerror(errno));
}

static struct sensor sensors[] = {
    {"accelerometer", 0x73, 0x0453, 0xD, 3, -1, {0}, 0, {1, 0, 0, 10}},
    {"gyroscope", 0x76, 0x0457, 0xD, 3, -1, {0}, 0, {1, 0, 0, 10}},
    {"light", 0x41, 0x04D1, 0x0, 1, -1, {0}, 0, {1, 0, 0, 10}},
    {"proximity", 0x11, 0x04B1, 0x0, 1, -1, {0}, 0, {1, 0, 0, 10}},
};
enum { sensor_count = sizeof sensors / sizeof *sensors };
// In milliseconds, long enough for an emulated processor.
enum { measuring_interval = 20 };

// MARK: - Commands

static void obey(char *line) {
    char *words[7] = {"", "", "", "", "", "", ""}, *word = strtok(line, " \n");
    for (int i = 0; word && i < 7; i++, word = strtok(NULL, " \n")) words[i] = word;
    int is_gone = !strcmp(words[1], "gone");
    for (int i = 0; i < sensor_count; i++) {
        if (strcmp(words[0], sensors[i].name)) continue;
        if (is_gone) return sensor_gone(&sensors[i]);
        sensors[i].is_shaken = !strcmp(words[1], "shocks");
        for (int axis = 0; axis < sensors[i].count; axis++) sensors[i].values[axis] = atoi(words[1 + axis]);
        return sensor_set(&sensors[i]);
    }
    int number = switch_number(words[0]);
    if (number >= 0) return is_gone ? switch_gone(number) : switch_set(number, atoi(words[1]));
    int32_t axes[6];
    for (int axis = 0; axis < 6; axis++) axes[axis] = atoi(words[1 + axis]);
    if (!strcmp(words[0], "mover")) return is_gone ? mover_gone() : mover_set(axes);
    if (!strcmp(words[0], "chips")) return is_gone ? chips_gone() : chips_set(axes);
    if (!strcmp(words[0], "pack") && is_gone) return pack_gone();
    if (!strcmp(words[0], "pack")) return pack_set(atoi(words[1]), words[2], !strcmp(words[3], "quietly"));
    if (!strcmp(words[0], "adapter")) return adapter_set(atoi(words[1]));
    fprintf(stderr, "hardware: no such device: %s\n", words[0]);
}

int main(int argc, char **argv) {
    // Opened for writing too, so that the commands do not end when a writer closes the FIFO.
    FILE *commands = argc == 2 ? fopen(argv[1], "r+") : NULL;
    if (!commands) return complain("start"), 1;
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
