// SPDX-License-Identifier: Apache-2.0

// Chips on an I2C bus, with i2c-stub, which keeps their registers: the accelerometer of a BMC150 and a BMG160.
#include "hardware.h"

#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { accelerometer_address = 0x18, gyroscope_address = 0x68 };
// The same in both chips.
enum { identity_register = 0x00, x_register = 0x02, range_register = 0x0F };

static int is_present;

// Reads or writes a register.
static uint8_t access_register(int address, uint8_t number, char direction, uint8_t value) {
    union i2c_smbus_data data = {.byte = value};
    struct i2c_smbus_ioctl_data request = {direction, number, I2C_SMBUS_BYTE_DATA, &data};
    int bus = open("/dev/i2c-0", O_RDWR | O_CLOEXEC);
    // The chip belongs to its driver too.
    if (bus < 0 || ioctl(bus, I2C_SLAVE_FORCE, address) < 0 || ioctl(bus, I2C_SMBUS, &request) < 0) {
        complain("/dev/i2c-0");
    }
    if (bus >= 0) close(bus);
    return data.byte;
}

static void set_axes(int address, const int32_t raw[3]) {
    for (int i = 0; i < 6; i++) {
        access_register(address, x_register + i, I2C_SMBUS_WRITE, raw[i / 2] >> (i % 2 ? 8 : 0));
    }
}

static void command_bus(const char *file, const char *text) {
    int fd = open(file, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, text, strlen(text)) < 0) complain(file);
    if (fd >= 0) close(fd);
}

void chips_set(const int32_t values[6]) {
    if (!is_present) {
        access_register(accelerometer_address, identity_register, I2C_SMBUS_WRITE, 0xFA);
        access_register(gyroscope_address, identity_register, I2C_SMBUS_WRITE, 0x0F);
        command_bus("/sys/bus/i2c/devices/i2c-0/new_device", "bmc150_accel 0x18");
        command_bus("/sys/bus/i2c/devices/i2c-0/new_device", "bmg160 0x68");
        is_present = 1;
    }
    int32_t raw[3];
    // Twelve bits, aligned to the first bit of the register.
    int code = access_register(accelerometer_address, range_register, I2C_SMBUS_READ, 0);
    int g = code == 3 ? 2 : code == 5 ? 4 : code == 8 ? 8 : 16;
    for (int axis = 0; axis < 3; axis++) raw[axis] = values[axis] * 2048 / (1000 * g) * 16;
    set_axes(accelerometer_address, raw);
    int degrees = 2000 >> access_register(gyroscope_address, range_register, I2C_SMBUS_READ, 0);
    for (int axis = 0; axis < 3; axis++) raw[axis] = (int64_t)values[3 + axis] * 32768 / (1000 * degrees);
    set_axes(gyroscope_address, raw);
}

void chips_gone(void) {
    if (!is_present) return;
    command_bus("/sys/bus/i2c/devices/i2c-0/delete_device", "0x18");
    command_bus("/sys/bus/i2c/devices/i2c-0/delete_device", "0x68");
    is_present = 0;
}
