// SPDX-License-Identifier: Apache-2.0

// The devices, each of which is created by its first values.
#include <stdint.h>

struct sensor {
    const char *name;
    uint8_t usage;        // the type, on the page of sensors
    uint16_t first_field; // the usage of the first value; the others follow
    uint8_t exponent;     // of ten, four bits
    int count;
    int fd;
    int32_t values[3];
    int is_shaken; // whether each answer has another strength
    uint8_t feature[7]; // the report's number, reporting state, power state, interval in ms
};

// Creates the sensor or sends its new values.
void sensor_set(struct sensor *sensor);
void sensor_gone(struct sensor *sensor);
// Returns whether the driver has requested every measurement.
int sensor_is_measuring(const struct sensor *sensor);
// Answers a request of the driver.
void sensor_answer(struct sensor *sensor);

// Creates the input device or sends its new value.
// The number of a switch; -1 if there is none with the name.
int switch_number(const char *name);
void switch_set(int number, int value);
void switch_gone(int number);
// The same for thousandths of g and of degrees per second, for an input device and for chips on an I2C bus.
void mover_set(const int32_t values[6]);
void mover_gone(void);
void chips_set(const int32_t values[6]);
void chips_gone(void);

void pack_set(int percent, const char *status, int quietly);
void pack_gone(void);
void adapter_set(int is_online);

// Prints an operation and the error in errno to stderr.
void complain(const char *what);
