// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "switches.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/input.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The maximum number of input devices with switches.
#define DEVICES_MAX 8

// The node is a FIFO: an event makes it readable, as for a device of the kernel, and a device that is removed is at its
// end. Of several readers, one may take an event before the others; they have become readable as well.
static struct device {
    char node[64];
    int fifo;
    // The switches, or the distance, which is at most the maximum.
    atomic_uint bits;
    int maximum;
    void *handler;
} devices[DEVICES_MAX];

// The functions of umockdev.h and GObject that are used, which the host has loaded.
static struct {
    void *(*make)(void);
    unsigned long (*connect)(void *object, const char *signal, int (*handler)(void *, void *, void *), void *data,
                             void *destroy, int flags);
    int (*attach)(void *bed, const char *node, void *handler, void **error);
    int (*detach)(void *bed, const char *node, void **error);
    unsigned long (*request)(void *client);
    void *(*argument)(void *client);
    void *(*resolve)(void *data, size_t offset, size_t size, void **error);
    void (*update)(void *data, size_t offset, const unsigned char *bytes, int count);
    void (*complete)(void *client, long result, int error);
    void (*unref_data)(void *data);
    void (*unref)(void *object);
} library;

// Returns whether umockdev has all of them, as from version 0.16 on.
static int load(void) {
    const struct {
        void *place;
        const char *name;
    } symbols[] = {
        {&library.make, "umockdev_ioctl_base_new"},
        {&library.connect, "g_signal_connect_data"},
        {&library.attach, "umockdev_testbed_attach_ioctl"},
        {&library.detach, "umockdev_testbed_detach_ioctl"},
        {&library.request, "umockdev_ioctl_client_get_request"},
        {&library.argument, "umockdev_ioctl_client_get_arg"},
        {&library.resolve, "umockdev_ioctl_data_resolve"},
        {&library.update, "umockdev_ioctl_data_update"},
        {&library.complete, "umockdev_ioctl_client_complete"},
        {&library.unref_data, "umockdev_ioctl_data_unref"},
        {&library.unref, "g_object_unref"},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *found = dlsym(RTLD_DEFAULT, symbols[i].name);
        if (!found) return 0;
        *(void **)symbols[i].place = found;
    }
    return 1;
}

// Called by a thread of umockdev with each ioctl. Returns whether it was handled.
static int handle(void *handler, void *client, void *data) {
    (void)handler;
    struct device *device = data;
    unsigned long request = library.request(client);
    size_t size = _IOC_SIZE(request);
    int is_axis = request == EVIOCGABS(ABS_DISTANCE);
    if (!is_axis && request != EVIOCGSW(size)) return 0;
    void *answer = library.resolve(library.argument(client), 0, size, NULL);
    if (!answer) return 0;
    unsigned value = atomic_load(&device->bits);
    struct input_absinfo axis = {.value = value, .maximum = device->maximum};
    unsigned char bits = value;
    for (size_t i = 0; !is_axis && i < size; i++) library.update(answer, i, i ? &(unsigned char){0} : &bits, 1);
    if (is_axis) library.update(answer, 0, (unsigned char *)&axis, sizeof axis);
    library.unref_data(answer);
    library.complete(client, is_axis ? 0 : size, 0);
    return 1;
}

static void make_directories(char *path) {
    for (char *at = path + 1; (at = strchr(at, '/')); at++) {
        *at = 0;
        mkdir(path, 0755);
        *at = '/';
    }
}

static struct device *find(const char *node) {
    for (int i = 0; i < DEVICES_MAX; i++) {
        if (!strcmp(devices[i].node, node)) return &devices[i];
    }
    return NULL;
}

static const char *add(void *bed, const char *root, const char *node) {
    if (!library.make && !load()) return "umockdev is older than version 0.16";
    struct device *device = find("");
    char path[PATH_MAX];
    if (!device || strlen(node) >= sizeof device->node) return "no room for another device";
    snprintf(path, sizeof path, "%s%s", root, node);
    make_directories(path);
    unlink(path);
    device->fifo = mkfifo(path, 0644) ? -1 : open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (device->fifo < 0) return "its node cannot be made";
    device->handler = library.make();
    library.connect(device->handler, "handle-ioctl", handle, device, NULL, 0);
    if (!library.attach(bed, node, device->handler, NULL)) return "its requests cannot be handled";
    strcpy(device->node, node);
    return NULL;
}

const char *switches_set(void *bed, const char *root, const char *node, unsigned bits, int maximum) {
    struct device *device = find(node);
    if (!device) {
        const char *failure = add(bed, root, node);
        if (failure) return failure;
        device = find(node);
    }
    device->maximum = maximum;
    if (atomic_exchange(&device->bits, bits) == bits) return NULL;
    // Readers take the event as a reason to ask for the state. A FIFO that is full has enough of them.
    struct input_event events[] = {{.type = EV_SW}, {.type = EV_SYN, .code = SYN_REPORT}};
    ssize_t written = write(device->fifo, events, sizeof events);
    (void)written;
    return NULL;
}

void switches_remove(void *bed, const char *root, const char *node) {
    struct device *device = find(node);
    if (!device || !*node) return;
    library.detach(bed, node, NULL);
    library.unref(device->handler);
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s", root, node);
    unlink(path);
    close(device->fifo);
    *device->node = 0;
    atomic_store(&device->bits, 0);
}
