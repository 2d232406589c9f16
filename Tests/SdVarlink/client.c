// SPDX-License-Identifier: Apache-2.0

// Prints a state of a bus, by the client of systemd 257 and later.

#include <stdio.h>
#include <string.h>
#include <systemd/sd-json.h>
#include <systemd/sd-varlink.h>

int main(int count, char **arguments) {
    sd_varlink *bus = NULL;
    sd_json_variant *reply = NULL;
    const char *error = NULL;
    int result = count == 2 ? sd_varlink_connect_url(&bus, arguments[1]) : -1;
    if (result >= 0)
        result = sd_varlink_callbo(
            bus, "org.reveille.Bus.GetState", &reply, &error,
            SD_JSON_BUILD_PAIR("aspects", SD_JSON_BUILD_ARRAY(SD_JSON_BUILD_STRING("locale"))));
    if (result >= 0 && !error) result = sd_json_variant_dump(reply, SD_JSON_FORMAT_NEWLINE, stdout, NULL);
    if (error || result < 0) fprintf(stderr, "%s\n", error ? error : strerror(-result));
    sd_varlink_close_unref(bus);
    return result < 0 || error ? 1 : 0;
}
