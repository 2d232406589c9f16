// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CReveilleLinux.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/input.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <sys/timex.h>

static int argument_count;
static char **arguments;

// glibc passes the arguments of main to constructors.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    argument_count = count;
    arguments = values;
}

int c_reveille_argument_count(void) {
    return argument_count;
}

char **c_reveille_arguments(void) {
    return arguments;
}

int c_reveille_adopt_orphans(void) {
    return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

int c_reveille_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int c_reveille_peer_credentials(int socket, pid_t *pid, uid_t *uid) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0)
        return -1;
    *pid = credentials.pid;
    *uid = credentials.uid;
    return 0;
}

// Since kernel 6.5; missing in older headers.
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

int c_reveille_peer_pidfd(int socket, pid_t pid) {
    int descriptor;
    socklen_t size = sizeof descriptor;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &descriptor, &size) == 0)
        return descriptor;
    if (errno != ENOPROTOOPT)
        return -1;
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

int c_reveille_signal(int pidfd, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

int c_reveille_pidfd(pid_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

int c_reveille_unread(int socket, int *bytes) {
    return ioctl(socket, SIOCOUTQ, bytes);
}

const char *c_reveille_error_name(int number) {
    return strerrorname_np(number);
}

int c_reveille_switches(int device, unsigned char *bits, int size) {
    return ioctl(device, EVIOCGSW(size), bits);
}

int c_reveille_read_axis(int device, int axis, struct c_reveille_axis *result) {
    struct input_absinfo info;
    if (ioctl(device, EVIOCGABS(axis), &info) < 0)
        return -1;
    *result = (struct c_reveille_axis){info.value, info.minimum, info.maximum, info.resolution};
    return 0;
}

int c_reveille_alarm(int wakes) {
    int alarm = timerfd_create(wakes ? CLOCK_REALTIME_ALARM : CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    // Only this call fails if the machine has no clock that can wake it; the timer would wait.
    if (alarm >= 0 && wakes && clock_getres(CLOCK_REALTIME_ALARM, NULL) != 0) {
        close(alarm);
        errno = EOPNOTSUPP;
        return -1;
    }
    return alarm;
}

int c_reveille_set_alarm(int alarm, long long microseconds) {
    struct itimerspec time = {
        .it_value = {.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000},
    };
    return timerfd_settime(alarm, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &time, NULL);
}

int c_reveille_unshare_umask(void) {
    return unshare(CLONE_FS);
}

long c_reveille_sleeps(void) {
    struct rusage usage = {0};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

int c_reveille_memory_file(const char *name) {
    return memfd_create(name, MFD_CLOEXEC);
}

int c_reveille_reserve(int descriptor, long long offset, long long count) {
    return fallocate(descriptor, FALLOC_FL_KEEP_SIZE, offset, count);
}

static int has_relocated_text(const struct dl_phdr_info *object) {
    for (int index = 0; index < object->dlpi_phnum; index++) {
        if (object->dlpi_phdr[index].p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *entry = (const void *)(object->dlpi_addr + object->dlpi_phdr[index].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_TEXTREL))
                return 1;
        }
    }
    return 0;
}

static int release_object(struct dl_phdr_info *object, size_t size, void *page) {
    (void)size;
    if (has_relocated_text(object))
        return 0;
    uintptr_t mask = ~(*(const uintptr_t *)page - 1);
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W)
            continue;
        uintptr_t start = (object->dlpi_addr + segment->p_vaddr) & mask;
        uintptr_t end = object->dlpi_addr + segment->p_vaddr + segment->p_filesz;
        // Pages locked in memory stay; the error has no consequence.
        madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

// More than the start of a program uses, and less than the gap of 1 MB that Linux keeps below the main thread's stack:
// the range contains no other mapping.
static const uintptr_t used_stack = 256 * 1024;

// Releases the part of the main thread's stack that earlier calls have used.
static void release_stack(uintptr_t page) {
    if (syscall(SYS_gettid) != getpid())
        return;
    // The page of this frame stays, and the next lower one, which this function's own calls use.
    uintptr_t end = ((uintptr_t)__builtin_frame_address(0) & ~(page - 1)) - page;
    // Unmapped pages are an error only at the end, after the release of the others.
    madvise((void *)(end - used_stack), used_stack, MADV_DONTNEED);
}

void c_reveille_release_memory(void) {
    malloc_trim(0);
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(release_object, &page);
    release_stack(page);
}

int c_reveille_close_from(void *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

void c_reveille_spawn_in_session(void *attributes) {
    short flags = 0;
    posix_spawnattr_getflags(attributes, &flags);
    posix_spawnattr_setflags(attributes, flags | POSIX_SPAWN_SETSID);
}

int c_reveille_route_socket(int is_listening) {
    int socket_number = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (socket_number < 0)
        return -1;
    struct sockaddr_nl address = {.nl_family = AF_NETLINK};
    if (is_listening)
        address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE;
    if (bind(socket_number, (struct sockaddr *)&address, sizeof address) < 0) {
        int reason = errno;
        close(socket_number);
        errno = reason;
        return -1;
    }
    return socket_number;
}

static ssize_t send_dump_request(int socket, int type, int family) {
    struct {
        struct nlmsghdr header;
        struct rtgenmsg body;
    } request = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtgenmsg)),
                   .nlmsg_type = type,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .body = {.rtgen_family = family},
    };
    return send(socket, &request, request.header.nlmsg_len, 0);
}

int c_reveille_route_request_links(int socket) {
    return send_dump_request(socket, RTM_GETLINK, AF_UNSPEC) < 0 ? -1 : 0;
}

int c_reveille_route_request_addresses(int socket) {
    return send_dump_request(socket, RTM_GETADDR, AF_UNSPEC) < 0 ? -1 : 0;
}

int c_reveille_route_request_routes(int socket, int is_version6) {
    return send_dump_request(socket, RTM_GETROUTE, is_version6 ? AF_INET6 : AF_INET) < 0 ? -1 : 0;
}

ssize_t c_reveille_route_receive(int socket, void *buffer, size_t size) {
    struct sockaddr_nl sender = {0};
    socklen_t length = sizeof sender;
    ssize_t received;
    do
        received = recvfrom(socket, buffer, size, MSG_TRUNC, (struct sockaddr *)&sender, &length);
    while (received >= 0 && sender.nl_pid != 0);
    return received;
}

static long long nanoseconds(struct statx_timestamp time) {
    // Unsigned, since a file may have any time.
    return (long long)((unsigned long long)time.tv_sec * 1000000000ULL + time.tv_nsec);
}

int c_reveille_entry(int directory, const char *name, struct c_reveille_entry *entry) {
    struct statx status;
    int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH | AT_STATX_DONT_SYNC;
    unsigned int wanted = STATX_TYPE | STATX_INO | STATX_SIZE | STATX_MTIME | STATX_BTIME;
    if (statx(directory, name, flags, wanted, &status) < 0)
        return -1;
    entry->mode = status.stx_mode;
    entry->device = (unsigned long long)status.stx_dev_major << 32 | status.stx_dev_minor;
    entry->inode = status.stx_ino;
    entry->size = status.stx_size;
    entry->modified = nanoseconds(status.stx_mtime);
    entry->born = status.stx_mask & STATX_BTIME ? nanoseconds(status.stx_btime) : 0;
    return 0;
}

int c_reveille_clock_is_synchronized(void) {
  struct timex clock = {.modes = 0};
  return adjtimex(&clock) >= 0 && !(clock.status & STA_UNSYNC);
}

static void remove_cgroup_when_empty(const char *directory, int events, int end, int changes) {
    char text[256];
    ssize_t length;
    while (read(end, text, 1) < 0 && errno == EINTR) {}
    // Read before each wait, so that no change is missed. The file is gone if another process has removed the cgroup.
    while ((length = pread(events, text, sizeof text - 1, 0)) > 0) {
        text[length] = 0;
        if (strstr(text, "populated 0") || (read(changes, text, sizeof text) < 0 && errno != EINTR)) break;
    }
    rmdir(directory);
}

int c_reveille_remove_cgroup_when_empty(const char *directory) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/cgroup.events", directory) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int ends[2] = {-1, -1};
    int events = open(path, O_RDONLY | O_CLOEXEC);
    int changes = inotify_init1(IN_CLOEXEC);
    int error = 0;
    if (events < 0 || inotify_add_watch(changes, path, IN_MODIFY) < 0 ||
        inotify_add_watch(changes, directory, IN_DELETE_SELF) < 0 || pipe2(ends, O_CLOEXEC) < 0)
        error = errno;
    pid_t child = error == 0 ? fork() : -1;
    if (child == 0) {
        // The first process adopts the child of a child that has ended.
        pid_t grandchild = fork();
        if (grandchild != 0) _exit(grandchild < 0 ? errno : 0);
        setsid();
        // A signal to all processes of the program must not end this one before the others have ended.
        signal(SIGTERM, SIG_IGN);
        if (dup2(events, 0) < 0 || dup2(ends[0], 1) < 0 || dup2(changes, 2) < 0) _exit(1);
        close_range(3, ~0U, 0);
        remove_cgroup_when_empty(directory, 0, 1, 2);
        _exit(0);
    }
    if (child < 0 && error == 0) error = errno;
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (error == 0) error = WEXITSTATUS(status);
    close(events);
    close(changes);
    close(ends[0]);
    // This program's end closes the other end.
    if (error == 0) return 0;
    close(ends[1]);
    errno = error;
    return -1;
}
