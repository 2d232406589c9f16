// SPDX-License-Identifier: Apache-2.0

// Lets reads of attributes fail, take long, or wait for a test. It is preloaded. DEVICE_FAULTS is a directory with a file
// for each such attribute, named DIRECTORY_ATTRIBUTE. It contains the number of an error, or `+` and milliseconds; or it is
// a pipe, and the read waits until a writer has opened and closed it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Returns the error of a read, or 0.
static int fault(int descriptor) {
    const char *directory = getenv("DEVICE_FAULTS");
    char link[64], path[PATH_MAX] = "", file[2 * PATH_MAX], text[16] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (!directory || length <= 0 || !strstr(path, "/sys/"))
        return 0;
    char *attribute = strrchr(path, '/');
    *attribute++ = 0;
    snprintf(file, sizeof file, "%s/%s_%s", directory, strrchr(path, '/') + 1, attribute);
    int saved = errno, control = syscall(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC, 0);
    if (control >= 0) {
        syscall(SYS_read, control, text, sizeof text - 1);
        syscall(SYS_close, control);
    }
    errno = saved;
    if (*text == '+') {
        long milliseconds = atol(text);
        struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
        nanosleep(&time, NULL);
        return 0;
    }
    return atoi(text);
}

#define ORIGINAL(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))
#define FAIL_IF_DUE                                                                                                    \
    int error = fault(descriptor);                                                                                     \
    if (error) {                                                                                                       \
        errno = error;                                                                                                 \
        return -1;                                                                                                     \
    }

ssize_t read(int descriptor, void *buffer, size_t size) {
    FAIL_IF_DUE
    return ORIGINAL(read)(descriptor, buffer, size);
}

ssize_t pread(int descriptor, void *buffer, size_t size, off_t offset) {
    FAIL_IF_DUE
    return ORIGINAL(pread)(descriptor, buffer, size, offset);
}

ssize_t pread64(int descriptor, void *buffer, size_t size, off64_t offset) {
    FAIL_IF_DUE
    return ORIGINAL(pread64)(descriptor, buffer, size, offset);
}
