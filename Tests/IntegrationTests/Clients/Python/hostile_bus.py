# SPDX-License-Identifier: Apache-2.0
"""A hostile bus: in each round, one field of each of its replies is missing or of a wrong type.

The argument is "python" or "node": a client that uses every call, in as many rounds as there are pairs of a field and a
value. It may fail with ReveilleError alone, and it must come to the end.
"""
import copy
import itertools
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading

MISSING = object()
WRONG = [None, True, 7, -1, 10**30, 1.5, "x", [], [1], [None], {}, {"toString": 1}, {"a": {}}, MISSING]
EVENT = {
    "aspect": "battery", "generation": 2, "sequence": 2, "changes": 1, "netChange": True, "firstChangedAt": 1,
    "changedAt": 2, "dropped": 0, "battery": {"level": 0.5}}
VALUE = {name: field for name, field in EVENT.items() if name != "battery"} | {"aspect": "org.example.a", "value": {}}
ENTRY = {
    "id": "x", "aspect": "org.example.a", "value": {}, "at": 1, "every": 1, "calendar": {"weekday": 1}, "zone": "UTC",
    "until": 1, "ifMissed": "skip", "grace": 1, "wake": True, "launch": ["a"]}
TASK = {"subscription": "1", "tasks": [{"name": "t", "remaining": 5}]}
REPLIES = {
    "Subscribe": {"subscription": "1", "instance": "i", "resumed": True, "events": [EVENT, VALUE]},
    "Event": {"events": [EVENT, VALUE]}, "GetState": {"instance": "i", "events": [EVENT, VALUE]},
    "GetHistory": {"instance": "i", "events": [EVENT]}, "ListSubscriptions": {"subscriptions": [TASK]},
    "DescribeAspects": {"aspects": [{"aspect": "battery", "sources": []}]},
    "Publish": {"generation": 1, "sequence": 1}, "Post": {"generation": 1, "sequence": 1}, "Add": {"next": 1},
    "Cancel": {"cancelled": 1}, "List": {"entries": [{"entry": ENTRY, "next": 1, "fired": 0}]},
    "Check": {"answers": [{"capability": "c", "answer": "yes"}]}, "BeginTask": {"expiring": False, "ended": False},
    "Follow": {"subscriptions": [TASK], "ended": ["2"]}}
STREAMS = {"Subscribe", "Event", "Follow", "BeginTask"}


def paths(value):
    yield ()
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        for path in paths(value[key]):
            yield key, *path


def replaced(value, path, wrong):
    if not path:
        return wrong
    value = copy.copy(value)
    inner = replaced(value[path[0]], path[1:], wrong)
    if inner is MISSING:
        del value[path[0]]
    else:
        value[path[0]] = inner
    return value


def spoiled(method):
    """Returns each wrong reply to a method: wrong results, and errors with wrong parameters."""
    good = {"parameters": REPLIES.get(method, {}), "continues": method in STREAMS}
    for path, wrong in itertools.product(paths(good), WRONG):
        if path or wrong is not MISSING:
            yield replaced(good, path, wrong)
    names, fields = ("QuotaExceeded", "InvalidParameter", "PermissionDenied"), ("quota", "parameter", "limit")
    for name, field in itertools.product(names, fields):
        for wrong in WRONG[:-1]:
            # A stream tries again when its quota is exceeded.
            if method not in ("Subscribe", "Event", "Follow") or name != "QuotaExceeded":
                yield {"error": f"org.reveille.Bus.{name}", "parameters": {"quota": "value", field: wrong}}
    yield from ({"error": wrong} for wrong in WRONG[:-1])


class Bus:
    def __init__(self, path):
        self.replies = {method: list(spoiled(method)) for method in [*REPLIES, "Refresh"]}
        self.rounds = max(map(len, self.replies.values()))
        self.given = {}
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def next_reply(self, method):
        """Returns the next spoiled reply to a method, and a good one after the last."""
        number = self.given[method] = self.given.get(method, -1) + 1
        return self.replies[method][number] if number < len(self.replies.get(method, ())) else self.good(method)

    def good(self, method):
        return {"parameters": REPLIES.get(method, {}), "continues": method in STREAMS}

    def serve(self, connection):
        rest = b""
        try:
            while data := connection.recv(65536):
                *calls, rest = (rest + data).split(b"\0")
                for reply in itertools.chain.from_iterable(map(self.answers, calls)):
                    connection.sendall(json.dumps(reply).encode() + b"\0")
        except OSError:
            pass  # The client has closed the connection.

    def answers(self, call):
        call = json.loads(call)
        method = call["method"].rpartition(".")[2]
        if method == "ListSubscriptions" and call.get("more"):
            return [self.next_reply("Follow"), self.next_reply("Follow")]
        if method != "Subscribe":
            return [self.next_reply(method)]
        # Every other subscription is opened well, and receives a spoiled event; a good one follows.
        number = self.given["streams"] = self.given.get("streams", -1) + 1
        first = [self.next_reply("Subscribe")] if number % 2 else [self.good("Subscribe"), self.next_reply("Event")]
        return [*first, self.good("Event")]


def tried(action, *arguments):
    import reveille

    try:
        return action(*arguments)
    except reveille.ReveilleError:
        return None


def use_python(address, rounds):
    import reveille

    bus = reveille.connect(address)
    for _ in range(rounds):
        for call in (
            lambda: bus.get("battery"), lambda: bus.get("org.example.a"), lambda: bus.get_all("battery"), lambda: bus.history("battery"),
            bus.subscriptions, bus.aspects, bus.info, bus.refresh, bus.scheduled, lambda: bus.check("c"),
            lambda: bus.publish("org.example.a", {}), lambda: bus.post("battery", {}),
            lambda: bus.schedule("x", "org.example.a", every=1), lambda: bus.cancel_scheduled("x"),
        ):
            tried(call)
        changes = bus.subscription_changes()
        tried(next, changes) and tried(next, changes)
        changes.close()
        for _ in range(2):
            if events := tried(bus.subscribe, "battery", "org.example.*"):
                tried(next, events, None)
                events.positions
                task = events.task("t")
                tried(task.remaining), task.is_expiring, task.failure
                task.close()
                events.close()
    bus.close()


directory = tempfile.TemporaryDirectory()
address = f"{directory.name}/bus"
bus = Bus(address)
if sys.argv[1] == "python":
    use_python("unix:" + address, bus.rounds)
else:
    client = pathlib.Path(__file__).parents[1] / "Node/hostile.mjs"
    subprocess.run(["node", client, "unix:" + address, str(bus.rounds)], check=True, timeout=300)
unused = [method for method, replies in bus.replies.items() if bus.given[method] < len(replies)]
print(f"replies that were not used: {unused}" if unused else "passed")
