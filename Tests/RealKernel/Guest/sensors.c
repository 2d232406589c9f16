// SPDX-License-Identifier: Apache-2.0

// Sensors behind a HID sensor hub, with uhid: their report descriptors and the requests of their drivers.
#include "hardware.h"

#include <fcntl.h>
#include <linux/input.h>
#include <linux/uhid.h>
#include <string.h>
#include <unistd.h>

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

// One of six states, each with its own usage.
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
    item(d, 0xA0, 1, 0); // a physical collection, by which the kernel recognizes a sensor hub
    choice(d, 0x0316, 0x0840);
    choice(d, 0x0319, 0x0850);
    field(d, 0x030E, 0, INT32_MAX, 0);
    item(d, 0xB0, 1, 2); // a feature, a variable
    for (int i = 0; i < sensor->count; i++) {
        field(d, sensor->first_field + i, -1000000, 1000000, sensor->exponent);
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

void sensor_set(struct sensor *sensor) {
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
    create->vendor = 0x1209; // pid.codes, whose product 1 is for tests
    create->product = 0x0001;
    strcpy((char *)create->name, sensor->name);
    sensor_write(sensor, &event);
}

void sensor_gone(struct sensor *sensor) {
    if (sensor->fd >= 0) close(sensor->fd);
    sensor->fd = -1;
}

int sensor_is_measuring(const struct sensor *sensor) {
    // The first value of the reporting state means no reports.
    return sensor->fd >= 0 && sensor->feature[1] != 0;
}

static void shake(struct sensor *sensor) {
    int32_t strength = sensor->values[0] * 5 / 4;
    if (strength < 2000 || strength > 500000) strength = 2000;
    sensor->values[0] = strength;
    sensor->values[1] = -strength;
}

// The driver requests a report whenever an attribute is read, and waits for seconds without an answer.
void sensor_answer(struct sensor *sensor) {
    struct uhid_event event, reply = {0};
    if (read(sensor->fd, &event, sizeof event) < 0) return;
    if (event.type == UHID_GET_REPORT) {
        struct uhid_get_report_reply_req *report = &reply.u.get_report_reply;
        reply.type = UHID_GET_REPORT_REPLY;
        report->id = event.u.get_report.id;
        if (event.u.get_report.rtype == UHID_INPUT_REPORT) {
            if (sensor->is_shaken) shake(sensor);
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
