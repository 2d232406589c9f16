// SPDX-License-Identifier: Apache-2.0

// The adapter of the client in C: it uses the client as lines on standard input ask. Tests/ClientConformance/run documents the
// lines. It has neither tasks nor suspensions of other programs.

#include <unistd.h>

// The file of the client; see `build`.
#include CLIENT

// The most subscriptions, and the longest line.
#define SUBSCRIPTIONS 8
#define LINE (1 << 20)

static struct client client;

static struct entry {
    struct subscription subscription;
    char of[32];
    // The requests that wait for the beginning, and for an event; null without one.
    sd_json_variant *subscribing, *next;
} entries[SUBSCRIPTIONS];

static void answer(sd_json_variant *id, const char *member, sd_json_variant *value) {
    JSON *reply = NULL;
    must(sd_json_buildo(&reply, SD_JSON_BUILD_PAIR_VARIANT("id", id), SD_JSON_BUILD_PAIR_VARIANT(member, value)));
    must(sd_json_variant_dump(reply, SD_JSON_FORMAT_NEWLINE, stdout, NULL));
    fflush(stdout);
}

static void answer_error(sd_json_variant *id, const char *name, const char *message) {
    JSON *error = NULL;
    must(sd_json_buildo(&error, SD_JSON_BUILD_PAIR_STRING("name", name), SD_JSON_BUILD_PAIR_STRING("message", message)));
    answer(id, "error", error);
}

static void on_ready(struct subscription *s) {
    struct entry *entry = s->userdata;
    sd_json_variant **requests[] = {&entry->subscribing, &entry->next};
    for (int index = 0; index < 2; index++) {
        JSON *id = sd_json_variant_ref(*requests[index]), *event = NULL;
        if (!id) continue;
        if (index == 0 && s->has_begun) answer(id, "result", NULL);
        else if (index == 1 && (event = subscription_take(s))) answer(id, "result", event);
        else if (s->error) answer_error(id, s->error, s->error);
        else continue;
        clear(requests[index]);
    }
}

static struct entry *entry_of(const char *of) {
    for (int index = 0; index < SUBSCRIPTIONS; index++)
        if (strcmp(entries[index].of, of) == 0) return &entries[index];
    return NULL;
}

// Returns a list of policies as on the wire.
static sd_json_variant *policies_of(sd_json_variant *object) {
    sd_json_variant *list = NULL;
    must(sd_json_variant_new_array(&list, NULL, 0));
    EACH(index, object, 2) {
        JSON *policy = sd_json_variant_ref(sd_json_variant_by_index(object, index + 1));
        must(sd_json_variant_set_field(&policy, "aspect", sd_json_variant_by_index(object, index)));
        must(sd_json_variant_append_array(&list, policy));
    }
    return list;
}

static void carry_out(sd_json_variant *request) {
    const char *action = text(request, "do"), *of = text(request, "of"), *error = NULL;
    sd_json_variant *id = get(request, "id"), *options = get(request, "options"), *arguments = get(request, "arguments");
    struct entry *entry = entry_of(of);
    struct subscription *s = *of && entry ? &entry->subscription : NULL;
    sd_json_variant *resume = get(options, "resume");
    JSON *result = NULL, *none = NULL;
    int failure = 0;
    if (strcmp(action, "connect") == 0) {
        client.path = strdup(text(request, "address") + strlen("unix:"));
        failure = client_connect(&client);
    } else if (strcmp(action, "subscribe") == 0) {
        entry = entry_of("");
        strncpy(entry->of, of, sizeof entry->of - 1);
        entry->subscribing = sd_json_variant_ref(id);
        entry->subscription = (struct subscription){
            .client = &client, .aspects = sd_json_variant_ref(get(request, "aspects")),
            .policies = policies_of(get(options, "policies")), .options = sd_json_variant_ref(options),
            .is_background = is_true(options, "background"), .ready = on_ready, .userdata = entry};
        s = &entry->subscription;
        must(sd_json_variant_filter(&s->options, (char *[]){"resume", "background", "policies", NULL}));
        if (resume) s->seen.instance = strdup(text(resume, "instance"));
        s->seen.generations = sd_json_variant_ref(get(resume, "generations"));
        return open_stream(s);
    } else if (strcmp(action, "next") == 0 && s) {
        entry->next = sd_json_variant_ref(id);
        on_ready(s);
        return;
    } else if (strcmp(action, "enterBackground") == 0) {
        subscription_enter_background(s, number(request, "wakeAfter"));
    } else if (strcmp(action, "enterForeground") == 0 || strcmp(action, "becomeInactive") == 0) {
        subscription_enter_foreground(s, strcmp(action, "becomeInactive") == 0);
        on_ready(s);
    } else if (strcmp(action, "positions") == 0) {
        must(sd_json_variant_new_object(&none, NULL, 0));
        must(sd_json_variant_set_field_string(&result, "instance", s->seen.instance));
        must(sd_json_variant_set_field(&result, "generations", s->seen.generations ? s->seen.generations : none));
    } else if (strcmp(action, "close") == 0 && s) {
        subscription_end(s);
        entry->of[0] = '\0';
    } else if (strcmp(action, "close") == 0) {
        clear(&client.tied);
        client_lose(&client, 0);
    } else if (strcmp(action, "publish") == 0 || strcmp(action, "withdraw") == 0) {
        const char *name = sd_json_variant_string(sd_json_variant_by_index(arguments, 0));
        sd_json_variant *value = sd_json_variant_by_index(arguments, 1);
        failure = client_publish(&client, name, value, is_true(options, "whileConnected"), &error);
    } else {
        must(sd_json_variant_new_boolean(&result, true));
        return answer(id, "lacks", result);
    }
    if (failure < 0 || error) answer_error(id, error, error ? error : strerror(-failure));
    else answer(id, "result", result);
}

static int on_line(sd_event_source *source, int descriptor, uint32_t events, void *userdata) {
    static char buffer[LINE];
    static size_t length;
    ssize_t count = read(descriptor, buffer + length, sizeof buffer - length - 1);
    if (count <= 0) return sd_event_exit(client.loop, 0);
    length += count;
    buffer[length] = '\0';
    char *line = buffer, *end;
    for (; (end = strchr(line, '\n')); line = end + 1) {
        JSON *request = NULL;
        *end = '\0';
        must(sd_json_parse(line, 0, &request, NULL, NULL));
        carry_out(request);
    }
    length -= line - buffer;
    memmove(buffer, line, length);
    return 0;
}

int main(void) {
    must(sd_event_default(&client.loop));
    must(sd_event_add_io(client.loop, NULL, STDIN_FILENO, EPOLLIN, on_line, NULL));
    return sd_event_loop(client.loop) < 0;
}
