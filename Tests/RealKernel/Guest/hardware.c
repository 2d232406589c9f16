// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

// The guest's hardware: what real drivers of the kernel take for an accelerometer and a proximity sensor behind a
// HID sensor hub, a proximity switch, a battery and an adapter.
//
//   hardware FIFO        makes devices and moves their values as the lines say that are written to FIFO, and
//                        prints a line when it has done what one says
//
//   accelerometer X Y Z  thousandths of g
//   proximity N          whatever the sensor counts
//   switch 0|1           SW_FRONT_PROXIMITY
//   pack PERCENT STATUS  discharging, charging or idle; "quietly" at the end: the firmware does not tell
//   adapter 0|1
//   NAME gone            a device comes with its first values and goes with this
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <linux/uhid.h>
#include <linux/uinput.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void complain(const char *what) {
    fprintf(stderr, "hardware: %s: %s\n", what, strerror(errno));
}

// MARK: - HID sensors

struct sensor {
    const char *name;
    uint8_t usage;        // what the sensor is, on the page of sensors
    uint16_t first_field; // the usage of its first value; the others follow
    uint8_t exponent;     // of ten, four bits
    int count;
    int fd;
    int32_t values[3];
    uint8_t feature[7]; // number, reporting state, power state, interval in ms
};

static struct sensor sensors[] = {
    {"accelerometer", 0x73, 0x0453, 0xD, 3, -1, {0}, {1, 1, 1, 10}},
    {"proximity", 0x11, 0x04B1, 0x0, 1, -1, {0}, {1, 1, 1, 10}},
};
enum { sensor_count = sizeof sensors / sizeof *sensors };

struct descriptor {
    uint8_t *bytes;
    uint16_t size;
};

// Adds an item: its tag and type, then a value of 0, 1, 2 or 4 bytes.
static void item(struct descriptor *d, uint8_t tag, int bytes, uint32_t value) {
    d->bytes[d->size++] = tag | (bytes == 4 ? 3 : bytes);
    for (int i = 0; i < bytes; i++) d->bytes[d->size++] = value >> 8 * i;
}

static void field(struct descriptor *d, uint16_t usage, uint32_t least, uint32_t most, uint8_t exponent) {
    item(d, 0x08, 2, usage);
    item(d, 0x14, 4, least);
    item(d, 0x24, 4, most);
    item(d, 0x54, 1, exponent);
    item(d, 0x74, 1, 32); // bits
    item(d, 0x94, 1, 1);  // one value
}

// One of six states, each a usage of its own.
static void choice(struct descriptor *d, uint16_t usage, uint16_t first) {
    item(d, 0x08, 2, usage);
    item(d, 0x14, 1, 0);
    item(d, 0x24, 1, 5);
    item(d, 0x74, 1, 8);
    item(d, 0x94, 1, 1);
    item(d, 0xA0, 1, 2); // a logical collection
    for (int i = 0; i < 6; i++) item(d, 0x08, 2, first + i);
    item(d, 0xB0, 1, 0); // a feature, an array
    item(d, 0xC0, 0, 0);
}

static void describe(const struct sensor *sensor, struct descriptor *d) {
    item(d, 0x04, 1, 0x20); // the page of sensors
    item(d, 0x08, 1, 0x01);
    item(d, 0xA0, 1, 1); // an application
    item(d, 0x84, 1, 1); // report 1
    item(d, 0x08, 1, sensor->usage);
    item(d, 0xA0, 1, 0); // the kernel takes a device for a sensor hub by this physical collection
    choice(d, 0x0316, 0x0840);
    choice(d, 0x0319, 0x0850);
    field(d, 0x030E, 0, INT32_MAX, 0);
    item(d, 0xB0, 1, 2); // a feature, a variable
    for (int i = 0; i < sensor->count; i++) {
        field(d, sensor->first_field + i, -16000, 16000, sensor->exponent);
        item(d, 0x80, 1, 2); // an input
    }
    item(d, 0xC0, 0, 0);
    item(d, 0xC0, 0, 0);
}

static void sensor_write(struct sensor *sensor, const struct uhid_event *event) {
    if (write(sensor->fd, event, sizeof *event) < 0) complain(sensor->name);
}

static uint16_t sensor_report(const struct sensor *sensor, uint8_t *data) {
    data[0] = 1;
    memcpy(data + 1, sensor->values, 4 * sensor->count);
    return 1 + 4 * sensor->count;
}

static void sensor_set(struct sensor *sensor) {
    struct uhid_event event = {0};
    if (sensor->fd >= 0) {
        event.type = UHID_INPUT2;
        event.u.input2.size = sensor_report(sensor, event.u.input2.data);
        return sensor_write(sensor, &event);
    }
    sensor->fd = open("/dev/uhid", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (sensor->fd < 0) return complain("/dev/uhid");
    event.type = UHID_CREATE2;
    struct uhid_create2_req *create = &event.u.create2;
    struct descriptor descriptor = {create->rd_data, 0};
    describe(sensor, &descriptor);
    create->rd_size = descriptor.size;
    create->bus = BUS_USB;
    create->vendor = 0x1209; // pid.codes, product 1: for tests
    create->product = 0x0001;
    strcpy((char *)create->name, sensor->name);
    sensor_write(sensor, &event);
}

// The driver asks for a report whenever an attribute is read; unanswered, it would wait for seconds.
static void sensor_answer(struct sensor *sensor) {
    struct uhid_event event, reply = {0};
    if (read(sensor->fd, &event, sizeof event) < 0) return;
    if (event.type == UHID_GET_REPORT) {
        struct uhid_get_report_reply_req *report = &reply.u.get_report_reply;
        reply.type = UHID_GET_REPORT_REPLY;
        report->id = event.u.get_report.id;
        if (event.u.get_report.rtype == UHID_INPUT_REPORT) {
            report->size = sensor_report(sensor, report->data);
        } else {
            report->size = sizeof sensor->feature;
            memcpy(report->data, sensor->feature, sizeof sensor->feature);
        }
    } else if (event.type == UHID_SET_REPORT) {
        size_t size = event.u.set_report.size;
        if (size <= sizeof sensor->feature) memcpy(sensor->feature, event.u.set_report.data, size);
        reply.type = UHID_SET_REPORT_REPLY;
        reply.u.set_report_reply.id = event.u.set_report.id;
    } else {
        return;
    }
    sensor_write(sensor, &reply);
}

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

// MARK: - Battery and adapter, by the words that power.asl names

enum word { PACK, STAT, FLOW, LEFT, MAIN, TELL, TOLD };
enum { box = 0x07FF0000, full = 50000, com2 = 0x2F8 };
static int memory = -1;

static uint32_t get(enum word word) {
    uint32_t value = 0;
    if (pread(memory, &value, 4, box + 4 * word) != 4) complain("/dev/mem");
    return value;
}

static void set(enum word word, uint32_t value) {
    if (pwrite(memory, &value, 4, box + 4 * word) != 4) complain("/dev/mem");
}

// Has the firmware's code run, and waits until it has: notifications are not merged here.
static void tell(uint32_t what) {
    uint32_t told = get(TOLD);
    set(TELL, what);
    outb(0, com2 + 1);
    outb(2, com2 + 1); // tell when the transmitter is empty, which it is
    for (int i = 0; i < 3000 && get(TOLD) == told; i++) usleep(1000);
    outb(0, com2 + 1);
    errno = ETIMEDOUT;
    if (get(TOLD) == told) complain("the firmware's event");
}

static void pack_set(int percent, const char *status, int quietly) {
    int was_there = get(PACK), idle = !strcmp(status, "idle");
    set(LEFT, full / 100 * percent);
    set(STAT, idle ? 0 : !strcmp(status, "charging") ? 2 : 1);
    set(FLOW, idle ? 0 : 9000);
    set(PACK, 1);
    if (!quietly) tell(was_there ? 1 : 2);
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
    if (!strcmp(words[0], "pack") && is_gone) return set(PACK, 0), tell(2);
    if (!strcmp(words[0], "pack")) return pack_set(atoi(words[1]), words[2], !strcmp(words[3], "quietly"));
    if (!strcmp(words[0], "adapter")) return set(MAIN, atoi(words[1])), tell(4);
    fprintf(stderr, "hardware: no such device: %s\n", words[0]);
}

int main(int argc, char **argv) {
    // Open for writing too, so that the end of a writer is not the end of the commands.
    FILE *commands = argc == 2 ? fopen(argv[1], "r+") : NULL;
    memory = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
    if (!commands || memory < 0 || ioperm(com2, 8, 1) < 0) return complain("start"), 1;
    // What poll does not see must not wait in a buffer.
    setvbuf(commands, NULL, _IONBF, 0);
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct pollfd wait[1 + sensor_count] = {{.fd = fileno(commands), .events = POLLIN}};
    while (1) {
        for (int i = 0; i < sensor_count; i++) wait[1 + i] = (struct pollfd){.fd = sensors[i].fd, .events = POLLIN};
        if (poll(wait, 1 + sensor_count, -1) < 0) return complain("poll"), 1;
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
