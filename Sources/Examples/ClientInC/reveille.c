// SPDX-License-Identifier: Apache-2.0

// A client of the bus Reveille for programs with a loop of sd-event. Docs/Reference/WritingAClient.md explains it. One file: include it.

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-varlink.h>

#define BUS "org.reveille.Bus."
// The pauses in microseconds between attempts: a bus that is replaced is back within tens of milliseconds.
#define SHORTEST_PAUSE 20000
#define LONGEST_PAUSE 2000000
// The bytes of positions in a call of 64 KiB, most of which the longest lists of aspects and policies take; and those of a
// position without its name.
#define POSITIONS_LIMIT (16 << 10)
#define POSITION_OVERHEAD 48
#define JSON __attribute__((cleanup(sd_json_variant_unrefp))) sd_json_variant
#define EACH(index, list, step) for (size_t index = 0; index < sd_json_variant_elements(list); index += step)

// A program sets the first line of each structure, and calls client_connect() or open_stream().
struct client {
    sd_event *loop; const char *path;
    sd_varlink *calls;
    sd_event_source *end, *retry;
    uint64_t pause;
    sd_json_variant *tied;  // the values that are published while connected, by name
};

struct positions {
    char *instance;                // of the bus; NULL before the first reply
    sd_json_variant *generations;  // of the last event of each aspect
};

struct subscription {
    struct client *client; sd_json_variant *aspects, *policies, *options; struct positions seen; bool is_background;
    void (*ready)(struct subscription *); void *userdata;  // called at the beginning, when there is an event, and at the end
    sd_varlink *stream;
    sd_event_source *io, *retry, *alarm;
    uint64_t pause, opened_at, wake_at;
    char *id, *error;          // the identifier on the bus, while there is one; why the bus has ended the subscription
    struct positions adopted;  // those of another instance, until all of its first states are taken
    sd_json_variant *sent, *waiting;  // the positions in the last request; the events received and not taken
    bool has_begun, is_lost, is_wanted, was_background, is_inactive, was_asleep;
};

// Only memory can be missing.
static void must(int result) { if (result < 0) fprintf(stderr, "reveille: %s\n", strerror(-result)), abort(); }
static sd_json_variant *get(sd_json_variant *object, const char *key) { return sd_json_variant_by_key(object, key); }
static const char *text(sd_json_variant *object, const char *key) {
    return sd_json_variant_is_string(get(object, key)) ? sd_json_variant_string(get(object, key)) : "";
}
static uint64_t number(sd_json_variant *object, const char *key) { return sd_json_variant_unsigned(get(object, key)); }
static bool is_true(sd_json_variant *object, const char *key) { return sd_json_variant_boolean(get(object, key)); }
static sd_json_variant *at(sd_json_variant *list, size_t index) { return sd_json_variant_by_index(list, index); }
static void clear(sd_json_variant **object) { *object = sd_json_variant_unref(*object); }
static void delete(sd_json_variant **object, const char *key) {
    must(sd_json_variant_filter(object, (char *[]){(char *)key, NULL}));
}
static uint64_t now(sd_event *loop) {
    uint64_t time;
    return must(sd_event_now(loop, CLOCK_BOOTTIME, &time)), time;
}
// Calls a handler after a pause, which doubles each time; a part of it is random, so that not all clients come at once.
static void try_later(sd_event *loop, sd_event_source **timer, uint64_t *pause, sd_event_time_handler_t handler, void *data) {
    sd_event_source_disable_unref(*timer);
    if (*pause < SHORTEST_PAUSE) *pause = SHORTEST_PAUSE;
    must(sd_event_add_time_relative(loop, timer, CLOCK_BOOTTIME, *pause / 2 + random() % (*pause / 2), 1, handler, data));
    *pause = *pause * 2 < LONGEST_PAUSE ? *pause * 2 : LONGEST_PAUSE;
}

// --- Calls and published values

static int client_connect(struct client *);
static int on_client_retry(sd_event_source *source, uint64_t time, void *client) { return client_connect(client), 0; }

static int client_lose(struct client *client, int result) {
    client->end = sd_event_source_disable_unref(client->end);
    client->calls = sd_varlink_close_unref(client->calls);
    if (sd_json_variant_elements(client->tied) > 0)
        try_later(client->loop, &client->retry, &client->pause, on_client_retry, client);
    return result;
}
static int on_client_end(sd_event_source *source, int fd, uint32_t events, void *client) { return client_lose(client, 0); }

// Publishes each tied value on a new connection. One that the bus refuses does not stop the others.
static int publish_again(struct client *client) {
    JSON *tied = sd_json_variant_ref(client->tied);
    EACH(index, tied, 2) {
        const char *error = NULL, *name = sd_json_variant_string(at(tied, index));
        int result = sd_varlink_callbo(
            client->calls, BUS "Publish", NULL, &error, SD_JSON_BUILD_PAIR_STRING("aspect", name),
            SD_JSON_BUILD_PAIR_VARIANT("value", at(tied, index + 1)), SD_JSON_BUILD_PAIR_BOOLEAN("whileConnected", true));
        if (result < 0) return result;
        if (error) fprintf(stderr, "reveille: %s is not published again: %s\n", name, error), delete(&client->tied, name);
    }
    return 0;
}

static int client_connect(struct client *client) {
    struct pollfd end = {.fd = client->calls ? sd_varlink_get_fd(client->calls) : -1};
    if (client->calls && poll(&end, 1, 0) == 0) return 0;  // the bus has not closed it
    client_lose(client, 0);
    int result = sd_varlink_connect_address(&client->calls, client->path);
    if (result < 0 || (result = publish_again(client)) < 0) return client_lose(client, result);
    client->retry = sd_event_source_disable_unref(client->retry), client->pause = SHORTEST_PAUSE;
    must(sd_event_add_io(client->loop, &client->end, sd_varlink_get_fd(client->calls), EPOLLRDHUP, on_client_end, client));
    return 0;
}

// Returns a negative errno if there is no bus. The error is the name of the bus's error, or NULL.
static int client_call(
    struct client *client, const char *method, sd_json_variant *call, sd_json_variant **reply, const char **error) {
    int result = client_connect(client);
    if (result >= 0) result = sd_varlink_call(client->calls, method, call, reply, error);
    return result < 0 ? client_lose(client, result) : result;
}

static void tie(struct client *client, const char *name, sd_json_variant *value) {
    if (value) must(sd_json_variant_set_field(&client->tied, name, value));
    else delete(&client->tied, name);
}

// Publishes a value, or withdraws the name if the value is NULL.
int client_publish(
    struct client *client, const char *name, sd_json_variant *value, bool while_connected, const char **error) {
    JSON *before = sd_json_variant_ref(get(client->tied, name)), *call = NULL;
    must(sd_json_buildo(
        &call, SD_JSON_BUILD_PAIR_STRING("aspect", name), SD_JSON_BUILD_PAIR_VARIANT("value", value),
        SD_JSON_BUILD_PAIR_BOOLEAN("whileConnected", while_connected)));
    // One for which there is no bus is for the next one. One that the bus refuses changes nothing.
    *error = NULL;
    tie(client, name, while_connected ? value : NULL);
    int result = client_call(client, BUS "Publish", call, NULL, error);
    if (*error) tie(client, name, before);
    return result;
}

// --- Positions

// Returns the entry of a list that applies to an aspect: its name, else the longest pattern. The key is for lists of objects.
static sd_json_variant *best(sd_json_variant *list, const char *key, const char *aspect) {
    sd_json_variant *best = NULL;
    size_t longest = 0;
    EACH(index, list, 1) {
        const char *pattern = key ? text(at(list, index), key) : sd_json_variant_string(at(list, index));
        size_t length = strlen(pattern);
        bool is_pattern = length > 2 && strcmp(pattern + length - 2, ".*") == 0;
        if (strcmp(pattern, aspect) == 0) return at(list, index);
        if (is_pattern && strncmp(pattern, aspect, length - 1) == 0 && length > longest)
            best = at(list, index), longest = length;
    }
    return best;
}

// Returns whether the subscription covers an aspect only by a pattern.
static bool is_matched(struct subscription *s, const char *aspect) {
    sd_json_variant *entry = best(s->aspects, NULL, aspect);
    return entry && strcmp(sd_json_variant_string(entry), aspect) != 0;
}
static bool has_policy(struct subscription *s, const char *aspect, const char *background) {
    return strcmp(text(best(s->policies, "aspect", aspect), "background"), background) == 0;
}

// Moves the position to an event. A name that was withdrawn has none: the bus may forget its generation.
static void note(struct subscription *s, sd_json_variant *event) {
    sd_json_variant **generations = s->adopted.instance ? &s->adopted.generations : &s->seen.generations;
    if (sd_json_variant_is_null(get(event, "state"))) delete(generations, text(event, "aspect"));
    else must(sd_json_variant_set_field(generations, text(event, "aspect"), get(event, "generation")));
}

// Returns the positions that fit into a call, those of the listed aspects first; they are also in `sent`.
static sd_json_variant *fitting_positions(struct subscription *s) {
    sd_json_variant *resume = NULL;
    size_t size = 0;
    clear(&s->sent);
    must(sd_json_variant_new_array(&resume, NULL, 0));
    for (int matched = 0; matched < 2; matched++)
        EACH(index, s->seen.generations, 2) {
            const char *aspect = sd_json_variant_string(at(s->seen.generations, index));
            if (is_matched(s, aspect) != matched) continue;
            size += strlen(aspect) + POSITION_OVERHEAD;
            if (matched && size > POSITIONS_LIMIT) continue;
            must(sd_json_variant_set_field(&s->sent, aspect, at(s->seen.generations, index + 1)));
            must(sd_json_variant_append_arraybo(
                &resume, SD_JSON_BUILD_PAIR_STRING("aspect", aspect),
                SD_JSON_BUILD_PAIR_VARIANT("generation", get(s->sent, aspect))));
        }
    return resume;
}

// --- The first reply

// Returns the events of a reply, each with its state in one member. Aspects and states of later versions are left out.
static sd_json_variant *events_of(struct subscription *s, sd_json_variant *reply) {
    sd_json_variant *events = NULL;
    EACH(index, get(reply, "events"), 1) {
        JSON *event = sd_json_variant_ref(at(get(reply, "events"), index)), *null = NULL;
        const char *aspect = text(event, "aspect"), *key = strchr(aspect, '.') ? "value" : aspect;
        sd_json_variant *state = get(event, key);
        if (!best(s->aspects, NULL, aspect) || (key == aspect && (!state || sd_json_variant_is_null(state)))) continue;
        if (!state) must(sd_json_variant_new_null(&null));
        must(sd_json_variant_set_field(&event, "state", state ? state : null));
        must(sd_json_variant_append_array(&events, event));
    }
    return events;
}

// Returns whether an event of a first reply is delivered; the others only move the position. Corrects its number of changes.
static bool is_delivered(struct subscription *s, sd_json_variant **event, bool has_resumed) {
    const char *aspect = text(*event, "aspect");
    sd_json_variant *position = get(s->seen.generations, aspect), *policy = best(s->policies, "aspect", aspect);
    uint64_t changes = number(*event, "changes"), since = number(*event, "generation") - sd_json_variant_unsigned(position);
    if (has_resumed && position && !get(s->sent, aspect) && changes > since)  // the bus takes it for a new name
        must(sd_json_variant_set_field_unsigned(event, "changes", changes = since));
    if (has_resumed && (position ? changes == 0 : sd_json_variant_is_null(get(*event, "state")))) return false;
    if (s->was_asleep && has_policy(s, text(*event, "aspect"), "drop")) return false;
    return changes == 0 || is_true(*event, "netChange") || !is_true(policy, "netChangeOnly");
}

// Makes the withdrawals of the names that the reply lacks: it has the state of every name that is published.
static void withdraw(struct subscription *s, sd_json_variant *missing, bool has_resumed) {
    EACH(index, missing, 2)
        if (is_matched(s, sd_json_variant_string(at(missing, index))))
            must(sd_json_variant_append_arraybo(
                &s->waiting, SD_JSON_BUILD_PAIR_VARIANT("aspect", at(missing, index)), SD_JSON_BUILD_PAIR_NULL("state"),
                SD_JSON_BUILD_PAIR_UNSIGNED("changes", has_resumed), SD_JSON_BUILD_PAIR_BOOLEAN("netChange", true),
                SD_JSON_BUILD_PAIR_UNSIGNED("dropped", 0)));
}

static void set_state(struct subscription *);

static void begin(struct subscription *s, sd_json_variant *reply) {
    JSON *missing = sd_json_variant_ref(s->seen.generations), *events = events_of(s, reply);
    bool is_first = !s->seen.instance, has_resumed = is_true(reply, "resumed");
    bool is_answer = !s->has_begun && is_true(s->options, "initial");
    s->id = strdup(text(reply, "subscription"));
    // The positions of the instance before stay until the states of this one are taken.
    if (is_first) s->seen.instance = strdup(text(reply, "instance"));
    else if (!has_resumed) s->adopted.instance = strdup(text(reply, "instance"));
    EACH(index, events, 1) {
        JSON *event = sd_json_variant_ref(at(events, index));
        delete(&missing, text(event, "aspect"));
        if (is_first ? is_answer : is_delivered(s, &event, has_resumed)) must(sd_json_variant_append_array(&s->waiting, event));
        else note(s, event);
    }
    withdraw(s, missing, has_resumed);
    s->has_begun = true, s->was_asleep = false;
    if (s->is_background != s->was_background || s->wake_at || s->is_inactive) set_state(s);
}

// --- The stream

static void open_stream(struct subscription *);
static int on_retry(sd_event_source *source, uint64_t time, void *s) { return open_stream(s), 0; }

static void close_stream(struct subscription *s) {
    s->io = sd_event_source_disable_unref(s->io);
    s->stream = sd_varlink_close_unref(s->stream);
    clear(&s->waiting), clear(&s->adopted.generations), free(s->id), free(s->adopted.instance);
    s->id = s->adopted.instance = NULL, s->is_lost = false;
}

static void lose(struct subscription *s) {
    close_stream(s);
    // A bus that soon ends every connection is not tried more often than a missing bus.
    if (now(s->client->loop) > s->opened_at + LONGEST_PAUSE) s->pause = SHORTEST_PAUSE;
    if (!s->error) try_later(s->client->loop, &s->retry, &s->pause, on_retry, s);
}

static int on_reply(
    sd_varlink *stream, sd_json_variant *reply, const char *error, sd_varlink_reply_flags_t flags, void *userdata) {
    struct subscription *s = userdata;
    s->is_wanted = false, s->is_lost = error || !(flags & SD_VARLINK_REPLY_CONTINUES);
    // Another program may end and leave room. Any other refusal is final.
    bool may_pass = flags & SD_VARLINK_REPLY_LOCAL || (s->has_begun && error && strcmp(error, BUS "QuotaExceeded") == 0);
    if (error && !may_pass) s->error = strdup(error);
    if (s->is_lost) return 0;
    if (!s->id) return begin(s, reply), 0;
    JSON *events = events_of(s, reply);
    EACH(index, events, 1) must(sd_json_variant_append_array(&s->waiting, at(events, index)));
    return 0;
}

// Reads until there is a reply, and no further: the bus merges what is not read.
static void receive(struct subscription *s) {
    int result = 1;
    while (result > 0 && !s->is_lost && (s->is_wanted || !s->id)) result = sd_varlink_process(s->stream);
    if (result < 0 || s->is_lost) lose(s);
    else must(sd_event_source_set_io_events(s->io, s->is_wanted || !s->id ? EPOLLIN | EPOLLRDHUP : EPOLLRDHUP));
}

static int on_stream(sd_event_source *source, int descriptor, uint32_t events, void *userdata) {
    struct subscription *s = userdata;
    receive(s);
    if (s->stream && events & EPOLLRDHUP) lose(s);
    return s->ready(s), 0;
}

static void open_stream(struct subscription *s) {
    JSON *request = sd_json_variant_ref(s->options), *resume = fitting_positions(s);
    must(sd_json_variant_set_field(&request, "aspects", s->aspects));
    if (s->policies) must(sd_json_variant_set_field(&request, "policies", s->policies));
    must(sd_json_variant_set_field_boolean(&request, "initial", true));
    must(sd_json_variant_set_field_string(&request, "state", s->is_background ? "background" : "foreground"));
    if (s->seen.instance) must(sd_json_variant_set_field_string(&request, "instance", s->seen.instance));
    if (s->seen.instance) must(sd_json_variant_set_field(&request, "resume", resume));
    s->was_background = s->is_background, s->was_asleep |= s->is_background && s->has_begun;
    s->opened_at = now(s->client->loop);
    if (sd_varlink_connect_address(&s->stream, s->client->path) < 0) return lose(s);
    sd_varlink_set_userdata(s->stream, s);
    must(sd_varlink_bind_reply(s->stream, on_reply));
    must(sd_varlink_set_relative_timeout(s->stream, UINT64_MAX));
    must(sd_event_add_io(s->client->loop, &s->io, sd_varlink_get_fd(s->stream), EPOLLIN | EPOLLRDHUP, on_stream, s));
    if (sd_varlink_observe(s->stream, BUS "Subscribe", request) < 0 || sd_varlink_flush(s->stream) < 0) lose(s);
}

// Returns the next event, whose state is the member "state". Without one, returns NULL, and `ready` is called later.
sd_json_variant *subscription_take(struct subscription *s) {
    for (int attempt = 0; attempt < 2 && s->id; attempt++) {
        JSON *events = s->waiting;
        sd_json_variant *taken = s->waiting = NULL;
        EACH(index, events, 1) {
            const char *aspect = text(at(events, index), "aspect");
            bool is_due = !s->is_background || strcmp(aspect, "lifecycle") == 0 || has_policy(s, aspect, "immediate");
            if (!taken && is_due) note(s, taken = sd_json_variant_ref(at(events, index)));
            else must(sd_json_variant_append_array(&s->waiting, at(events, index)));
        }
        if (taken && !s->waiting && s->adopted.instance) {  // all states of the other instance are taken
            free(s->seen.instance), clear(&s->seen.generations);
            s->seen = s->adopted, s->adopted = (struct positions){0};
        }
        if (taken) return taken;
        s->is_wanted = true;
        receive(s);
    }
    return NULL;
}

// --- The background

// Tells the bus, or the next one when the subscription has begun there.
static void set_state(struct subscription *s) {
    const char *error = NULL, *state = s->is_background ? "background" : s->is_inactive ? "inactive" : "foreground";
    uint64_t time = now(s->client->loop);
    JSON *call = NULL;
    if (!s->id) return;
    must(sd_json_buildo(
        &call, SD_JSON_BUILD_PAIR_STRING("subscription", s->id), SD_JSON_BUILD_PAIR_STRING("state", state),
        SD_JSON_BUILD_PAIR_CONDITION(
            !!s->wake_at, "wakeAfter", SD_JSON_BUILD_UNSIGNED(s->wake_at > time ? (s->wake_at - time) / 1000 + 1 : 1))));
    if (client_call(s->client, BUS "SetState", call, NULL, &error) < 0 || error) s->is_lost = true;
}

void subscription_enter_foreground(struct subscription *s, bool is_inactive) {
    bool must_merge = s->is_background && s->id, was_asleep = s->is_background && !s->id;
    JSON *dropped = NULL, *call = NULL;
    EACH(index, s->policies, 1) {
        const char *background = text(at(s->policies, index), "background");
        if (strcmp(background, "hold") == 0) must_merge = false;  // the bus would merge the changes that it keeps
        if (strcmp(background, "drop") == 0) must(sd_json_variant_append_array(&dropped, get(at(s->policies, index), "aspect")));
    }
    // Changes that the bus has dropped are not to come back with the next one.
    sd_json_variant *reply = NULL;
    const char *error = NULL;
    must(sd_json_buildo(&call, SD_JSON_BUILD_PAIR_VARIANT("aspects", dropped)));
    if (dropped && s->is_background && s->id && client_call(s->client, BUS "GetState", call, &reply, &error) >= 0) {
        JSON *events = events_of(s, reply);
        EACH(index, events, 1) if (has_policy(s, text(at(events, index), "aspect"), "drop")) note(s, at(events, index));
    }
    s->alarm = sd_event_source_disable_unref(s->alarm);
    s->is_inactive = is_inactive, s->is_background = false, s->wake_at = 0, s->was_asleep = was_asleep;
    // An event that was received before the background must be one with what the bus has merged: subscribe again.
    while (must_merge && !s->is_lost && (s->is_wanted = true, sd_varlink_process(s->stream)) > 0) {}
    if (!must_merge || (!s->is_lost && !s->waiting)) return set_state(s);
    close_stream(s), s->was_asleep = true, open_stream(s);
}

static int on_alarm(sd_event_source *source, uint64_t time, void *s) {
    return subscription_enter_foreground(s, false), ((struct subscription *)s)->ready(s), 0;
}

// Milliseconds until the end of the background, or 0 for no end.
void subscription_enter_background(struct subscription *s, uint64_t wake_after) {
    s->alarm = sd_event_source_disable_unref(s->alarm);
    s->is_background = true, s->is_inactive = false;
    s->wake_at = wake_after ? now(s->client->loop) + wake_after * 1000 : 0;
    if (wake_after) must(sd_event_add_time(s->client->loop, &s->alarm, CLOCK_BOOTTIME, s->wake_at, 1, on_alarm, s));
    set_state(s);
}

void subscription_end(struct subscription *s) {
    close_stream(s);
    sd_event_source_disable_unref(s->retry), sd_event_source_disable_unref(s->alarm);
    clear(&s->options), clear(&s->aspects), clear(&s->policies), clear(&s->sent), clear(&s->seen.generations);
    free(s->seen.instance), free(s->error);
}
