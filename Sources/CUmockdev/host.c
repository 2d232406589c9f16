// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CUmockdev.h"
#include "switches.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// A request is a line of fields. A reply is a line: "ok VALUE" or "error REASON".
#define FIELD_SEPARATOR "\x1f"
#define NEWLINE_IN_FIELD '\x1e'
#define FIELDS_MAX 256
// How long a listening program may leave its queue full.
#define PATIENCE_MS 10000
// The maximum number of directories of a phone.
#define DIRECTORIES_MAX 4
// The number of attempts to remove a directory that a program still writes to, and the pause between them.
#define REMOVALS_MAX 100
#define REMOVAL_PAUSE_MS 50

typedef struct testbed testbed;

// The functions of umockdev.h that are used. They are loaded on demand rather than linked, so that programs other than
// testbed hosts run without the library.
static struct {
    testbed *(*make)(void);
    char *(*root)(testbed *);
    char *(*add)(testbed *, const char *subsystem, const char *name, const char *parent, char **attributes,
                 char **properties);
    void (*uevent)(testbed *, const char *path, const char *action);
    void (*remove)(testbed *, const char *path);
    void (*unref)(void *);
} library;

// Implemented in Swift by ReveilleTesting.
__attribute__((weak)) int reveille_run_phone_bus(int count, char **arguments);

const char *c_reveille_testbed_variable(void) {
    return C_REVEILLE_TESTBED;
}

const char *c_reveille_phone_bus_variable(void) {
    return C_REVEILLE_PHONE_BUS;
}

int c_reveille_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC);
}

static void *symbol(void *handle, const char *name) {
    void *found = dlsym(handle, name);
    if (!found) {
        printf("error %s\n", dlerror());
        exit(1);
    }
    return found;
}

static void load(void) {
    void *handle = dlopen("libumockdev.so.0", RTLD_NOW | RTLD_GLOBAL);
    if (!handle) {
        printf("error %s\n", dlerror());
        exit(1);
    }
    *(void **)&library.make = symbol(handle, "umockdev_testbed_new");
    *(void **)&library.root = symbol(handle, "umockdev_testbed_get_root_dir");
    *(void **)&library.add = symbol(handle, "umockdev_testbed_add_devicev");
    *(void **)&library.uevent = symbol(handle, "umockdev_testbed_uevent");
    *(void **)&library.remove = symbol(handle, "umockdev_testbed_remove_device");
    *(void **)&library.unref = symbol(handle, "g_object_unref");
}

static int split(char *line, char *fields[FIELDS_MAX]) {
    int count = 0;
    for (char *rest = line; rest && count < FIELDS_MAX - 1;) {
        fields[count++] = strsep(&rest, FIELD_SEPARATOR);
    }
    for (int i = 0; i < count; i++) {
        for (char *at = fields[i]; *at; at++) {
            if (*at == NEWLINE_IN_FIELD) *at = '\n';
        }
    }
    fields[count] = NULL;
    return count;
}

// add SUBSYSTEM NAME PARENT COUNT (ATTRIBUTE VALUE)... (PROPERTY VALUE)...
static void add(testbed *bed, char **fields, int count) {
    int attributes = count > 4 ? 2 * atoi(fields[4]) : -1;
    if (attributes < 0 || 5 + attributes > count) {
        printf("error add: malformed request\n");
        return;
    }
    char *names[FIELDS_MAX] = {0};
    memcpy(names, fields + 5, attributes * sizeof *names);
    char *path = library.add(bed, fields[1], fields[2], *fields[3] ? fields[3] : NULL, names,
                             fields + 5 + attributes);
    if (path) printf("ok %s\n", path);
    else printf("error umockdev_testbed_add_device %s: refused\n", fields[2]);
}

// Returns whether a listening socket has room for an event, after waiting if necessary. A closed socket always has
// room.
static int has_room(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return 1;
    strcpy(address.sun_path, path);
    int number = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct pollfd request = {.fd = number, .events = POLLOUT};
    int room = 1;
    if (number >= 0 && !connect(number, (struct sockaddr *)&address, sizeof address)) {
        room = poll(&request, 1, PATIENCE_MS) > 0;
    }
    close(number);
    return room;
}

// A socket holds about ten events (net.unix.max_dgram_qlen), and umockdev aborts when it is full.
static int listeners_have_room(const char *root) {
    char pattern[PATH_MAX];
    snprintf(pattern, sizeof pattern, "%s/event[0-9]*", root);
    glob_t found = {0};
    int room = 1;
    if (!glob(pattern, GLOB_NOSORT, NULL, &found)) {
        for (size_t i = 0; i < found.gl_pathc; i++) room = room && has_room(found.gl_pathv[i]);
    }
    globfree(&found);
    return room;
}

static char *directories[DIRECTORIES_MAX];

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status, (void)type, (void)place;
    remove(path);
    return 0;
}

// If the owner was killed, no other process removes the directories of its phone.
static void remove_directories(void) {
    for (int i = 0; i < DIRECTORIES_MAX && directories[i]; i++) {
        for (int round = 0; round < REMOVALS_MAX; round++) {
            if (nftw(directories[i], remove_entry, 16, FTW_DEPTH | FTW_PHYS) && errno == ENOENT) break;
            if (access(directories[i], F_OK)) break;
            // The bus of the phone ends at the same time and saves its state.
            poll(NULL, 0, REMOVAL_PAUSE_MS);
        }
        free(directories[i]);
    }
}

static void keep(const char *directory) {
    for (int i = 0; i < DIRECTORIES_MAX; i++) {
        if (directories[i]) continue;
        directories[i] = strdup(directory);
        printf("ok\n");
        return;
    }
    printf("error keep %s: too many directories\n", directory);
}

static void serve(testbed *bed, const char *root) {
    char *line = NULL, *fields[FIELDS_MAX];
    size_t size = 0;
    for (ssize_t length; (length = getline(&line, &size, stdin)) > 0;) {
        line[strcspn(line, "\n")] = 0;
        int count = split(line, fields);
        if (!listeners_have_room(root)) {
            printf("error %s: a listening program does not read its uevents\n", fields[0]);
        } else if (!strcmp(fields[0], "add")) {
            add(bed, fields, count);
        } else if (!strcmp(fields[0], "uevent") && count == 3) {
            library.uevent(bed, fields[1], fields[2]);
            printf("ok\n");
        } else if (!strcmp(fields[0], "remove") && count == 2) {
            // As in the kernel, the event is sent while the directory still exists.
            library.uevent(bed, fields[1], "remove");
            library.remove(bed, fields[1]);
            printf("ok\n");
        } else if (!strcmp(fields[0], "switches") && count == 4) {
            const char *failure = switches_set(bed, root, fields[1], atoi(fields[2]), atoi(fields[3]));
            if (failure) printf("error switches %s: %s\n", fields[1], failure);
            else printf("ok\n");
        } else if (!strcmp(fields[0], "unswitch") && count == 2) {
            switches_remove(bed, root, fields[1]);
            printf("ok\n");
        } else if (!strcmp(fields[0], "keep") && count == 2) {
            keep(fields[1]);
        } else {
            printf("error %s: unknown request\n", fields[0]);
        }
        fflush(stdout);
    }
    free(line);
}

static void serve_testbed(void) {
    load();
    testbed *bed = library.make();
    char *root = library.root(bed);
    printf("ok %s\n", root);
    fflush(stdout);
    serve(bed, root);
    free(root);
    library.unref(bed);
    remove_directories();
}

static int serve_phone_bus(int count, char **arguments) {
    if (!reveille_run_phone_bus) {
        printf("this program cannot host a bus\n");
        return 1;
    }
    return reveille_run_phone_bus(count, arguments);
}

// glibc passes the arguments of main to constructors.
__attribute__((constructor)) static void host(int count, char **arguments) {
    if (getenv(C_REVEILLE_TESTBED)) {
        serve_testbed();
        exit(0);
    }
    if (getenv(C_REVEILLE_PHONE_BUS)) {
        // The bus starts programs in its environment, such as this one.
        unsetenv(C_REVEILLE_PHONE_BUS);
        exit(serve_phone_bus(count, arguments));
    }
}
