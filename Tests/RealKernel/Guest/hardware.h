// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

// The devices, each made by its first values.
#include <stdint.h>

struct sensor {
    const char *name;
    uint8_t usage;        // what the sensor is, on the page of sensors
    uint16_t first_field; // the usage of its first value; the others follow
    uint8_t exponent;     // of ten, four bits
    int count;
    int fd;
    int32_t values[3];
    uint8_t feature[7]; // the report's number, reporting state, power state, interval in ms
};

// Makes the sensor, or tells of its new values.
void sensor_set(struct sensor *sensor);
// Whether its driver wants to be told of every measurement.
int sensor_is_measuring(const struct sensor *sensor);
// Answers what its driver asks.
void sensor_answer(struct sensor *sensor);

// Opens what the firmware's words are written by.
int power_open(void);
void pack_set(int percent, const char *status, int quietly);
void pack_gone(void);
void adapter_set(int is_online);

// Says on stderr what failed, by errno.
void complain(const char *what);
