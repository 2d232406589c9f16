// SPDX-License-Identifier: Apache-2.0

// Shortens the Nth read or write of a program to one byte, or fails its Nth close after closing: what strace cannot inject.
// It is preloaded. FAULTS_SHORTEN is `CALL:N`, or `CALL:N:ERRNO` for close; with FAULTS_COUNT, a path, it writes one line
// for each call that can be shortened. Programs that the program starts are not affected.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { READ, WRITE, RECV, SEND, CLOSE, CALLS };
static const char *const names[CALLS] = {"read", "write", "recv", "send", "close"};
static atomic_int counts[CALLS];
static int wanted = -1, wanted_number, wanted_error, report = -1;

__attribute__((constructor)) static void prepare(void) {
    const char *text = getenv("FAULTS_SHORTEN"), *path = getenv("FAULTS_COUNT");
    if (text) {
        char name[16];
        if (sscanf(text, "%15[a-z]:%d:%d", name, &wanted_number, &wanted_error) >= 2)
            for (int call = 0; call < CALLS; call++)
                if (strcmp(name, names[call]) == 0)
                    wanted = call;
    }
    if (path)
        report = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (report >= 0 && report < 900) {
        int high = fcntl(report, F_DUPFD_CLOEXEC, 900);
        syscall(SYS_close, report);
        report = high;
    }
    unsetenv("FAULTS_SHORTEN");
    unsetenv("FAULTS_COUNT");
    unsetenv("LD_PRELOAD");
}

// Streams and files are read in parts; datagrams, directories and the objects of the kernel are not. A pipe takes what it
// has room for only if that is more than PIPE_BUF.
static int can_be_short(int call, int descriptor, size_t size) {
    struct stat status;
    int type = 0;
    socklen_t length = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) == 0)
        return type == SOCK_STREAM;
    return fstat(descriptor, &status) == 0 &&
           (S_ISREG(status.st_mode) || (S_ISFIFO(status.st_mode) && (call == READ || size > PIPE_BUF)));
}

// Returns whether this call has the fault.
static int is_due(int call, int descriptor, size_t size) {
    int saved = errno;
    int applies = call == CLOSE ? fcntl(descriptor, F_GETFD) >= 0 : size > 1 && can_be_short(call, descriptor, size);
    int number = applies ? atomic_fetch_add(&counts[call], 1) + 1 : 0;
    if (number && report >= 0 && descriptor != report) {
        char link[64], object[256] = "", line[400];
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        ssize_t length = readlink(link, object, sizeof object - 1);
        object[length > 0 ? length : 0] = 0;
        int written = snprintf(line, sizeof line, "%s %d %s\n", names[call], number, object);
        syscall(SYS_write, report, line, written);
    }
    int due = number && call == wanted && number == wanted_number;
    if (due)
        syscall(SYS_write, 2, "faults: injected\n", 17);
    errno = saved;
    return due;
}

#define ORIGINAL(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

ssize_t read(int descriptor, void *buffer, size_t size) {
    return syscall(SYS_read, descriptor, buffer, is_due(READ, descriptor, size) ? 1 : size);
}

ssize_t __read_chk(int descriptor, void *buffer, size_t size, size_t limit) {
    (void)limit;
    return read(descriptor, buffer, size);
}

ssize_t write(int descriptor, const void *buffer, size_t size) {
    return syscall(SYS_write, descriptor, buffer, is_due(WRITE, descriptor, size) ? 1 : size);
}

ssize_t recv(int descriptor, void *buffer, size_t size, int flags) {
    int due = !(flags & (MSG_PEEK | MSG_WAITALL)) && is_due(RECV, descriptor, size);
    return ORIGINAL(recv)(descriptor, buffer, due ? 1 : size, flags);
}

ssize_t recvmsg(int descriptor, struct msghdr *message, int flags) {
    size_t size = message->msg_iovlen ? message->msg_iov[0].iov_len : 0;
    if (flags & MSG_PEEK || !is_due(RECV, descriptor, size))
        return ORIGINAL(recvmsg)(descriptor, message, flags);
    struct iovec part = {message->msg_iov[0].iov_base, 1}, *all = message->msg_iov;
    size_t parts = message->msg_iovlen;
    message->msg_iov = &part;
    message->msg_iovlen = 1;
    ssize_t result = ORIGINAL(recvmsg)(descriptor, message, flags);
    message->msg_iov = all;
    message->msg_iovlen = parts;
    return result;
}

ssize_t send(int descriptor, const void *buffer, size_t size, int flags) {
    return ORIGINAL(send)(descriptor, buffer, is_due(SEND, descriptor, size) ? 1 : size, flags);
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
    size_t size = message->msg_iovlen ? message->msg_iov[0].iov_len : 0;
    if (!is_due(SEND, descriptor, size))
        return ORIGINAL(sendmsg)(descriptor, message, flags);
    struct iovec part = {message->msg_iov[0].iov_base, 1};
    struct msghdr shorter = *message;
    shorter.msg_iov = &part;
    shorter.msg_iovlen = 1;
    return ORIGINAL(sendmsg)(descriptor, &shorter, flags);
}

int close(int descriptor) {
    int due = is_due(CLOSE, descriptor, 0);
    int result = (int)syscall(SYS_close, descriptor);
    if (!due || result < 0)
        return result;
    errno = wanted_error;
    return -1;
}
