# SPDX-License-Identifier: Apache-2.0
"""The adapter of reveille.py: it uses the client as lines on stdin ask. The argument is "blocking" or "asyncio".

Tests/ClientConformance/run documents the lines. The actions that are not listed there have the names of the client's methods.
"""
import asyncio
import dataclasses
import json
import logging
import os
import pathlib
import sys
import threading
import types

sys.path.insert(0, str(pathlib.Path(__file__).parents[4] / "Sources/Clients/Python"))
import reveille  # noqa: E402

if "REVEILLE_TEST_LOG" in os.environ:
    logging.basicConfig(level=os.environ["REVEILLE_TEST_LOG"])

bus = None
subscriptions = {}
tasks = []
# Replies of several threads do not mix.
writing = threading.Lock()


def plain(value):
    """Turns a result into JSON with the names of the wire."""
    if isinstance(value, reveille.Event):
        words = {"net_change": "netChange", "first_changed_at": "firstChangedAt", "changed_at": "changedAt"}
        entry = {words.get(name, name): member for name, member in dataclasses.asdict(value).items()}
        return entry | {name: entry[name].timestamp() * 1000 for name in ("firstChangedAt", "changedAt")}
    if dataclasses.is_dataclass(value):
        return dataclasses.asdict(value)
    if isinstance(value, set):
        return sorted(value)
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    return [plain(member) for member in value] if isinstance(value, list) else value


def seconds(options):
    return options["wakeAfter"] / 1000 if "wakeAfter" in options else None


def steps(request):
    """Carries out a request; yields what asyncio must wait for."""
    global bus
    of, options, action = request.get("of"), request.get("options", {}), request["do"]
    if action == "connect":
        connect = reveille.connect if is_blocking else reveille.connect_async
        bus = yield connect(request.get("address"), wait=request.get("wait", False))
    elif action == "subscribe":
        policies = {
            aspect: reveille.Policy(
                background=policy.get("background"), limit=policy.get("limit"),
                net_change_only=policy.get("netChangeOnly", False),
                interval=policy["interval"] / 1000 if "interval" in policy else None)
            for aspect, policy in options.pop("policies", {}).items()}
        subscriptions[of] = yield bus.subscribe(*request["aspects"], policies=policies, **options)
    elif action == "follow":
        changes = bus.subscription_changes()
        subscriptions[of] = types.SimpleNamespace(next=lambda: (next if is_blocking else anext)(changes, None))
    elif action == "demand":
        demand = bus.demand(*request["arguments"])
        subscriptions[of] = types.SimpleNamespace(next=lambda: (next if is_blocking else anext)(demand, None))
    elif action == "states":
        states = bus.connection_states()
        subscriptions[of] = types.SimpleNamespace(next=lambda: (next if is_blocking else anext)(states, None))
    elif action == "batch":
        return (yield (next if is_blocking else anext)(subscriptions[of].batches(), None))
    elif action == "next":
        return (yield subscriptions[of].next())
    elif action == "enterBackground":
        yield (subscriptions[of] if of else bus).enter_background(wake_after=seconds(request))
    elif action == "enterForeground":
        yield (subscriptions[of] if of else bus).enter_foreground()
    elif action == "becomeInactive":
        yield (subscriptions[of] if of else bus).become_inactive()
    elif action == "task":
        tasks.append((yield subscriptions[of].task("work")))
    elif action == "endTask":
        tasks.pop().close()
    elif action == "hasFailed":
        return tasks[0].failure is not None
    elif action == "positions":
        return subscriptions[of].positions
    elif action == "close":
        (subscriptions[of] if of else bus).close()
    elif action == "publish":
        return (yield bus.publish(*request["arguments"], while_connected=options.get("whileConnected", False)))
    elif action == "history":
        return (yield bus.history(request["arguments"][0], **options))
    elif action in ("hold", "suspend"):
        yield getattr(bus, action)(request["arguments"][0], wake_after=seconds(options))
    else:
        method = {"getAll": "get_all", "checkAll": "check_all"}.get(action, action)
        return (yield getattr(bus, method)(*request.get("arguments", [])))


def camel(code):
    first, *others = code.split("_")
    return first + "".join(word.title() for word in others)


def answer(request, outcome):
    if isinstance(outcome, reveille.ReveilleError):
        error = {
            "message": str(outcome), "code": camel(outcome.code), "name": outcome.error,
            "parameters": outcome.parameters}
        reply = {"id": request["id"], "error": error}
    else:
        reply = {"id": request["id"], "result": plain(outcome)}
    with writing:
        print(json.dumps(reply), flush=True)


def carry_out(request):
    try:
        waiting, value = steps(request), None
        while True:
            value = waiting.send(value)
    except StopIteration as stop:
        answer(request, stop.value)
    except reveille.ReveilleError as error:
        answer(request, error)


async def carry_out_async(request):
    waiting, wait = steps(request), None
    try:
        wait = waiting.send(None)
        while True:
            try:
                value = await wait
            except Exception as error:
                wait = waiting.throw(error)
            else:
                wait = waiting.send(value)
    except StopIteration as stop:
        answer(request, stop.value)
    except reveille.ReveilleError as error:
        answer(request, error)
    except asyncio.CancelledError:
        answer(request, "cancelled")


async def serve():
    loop, tasks = asyncio.get_running_loop(), {}
    requests = received()
    while request := await loop.run_in_executor(None, next, requests, None):
        if request["do"] == "cancel":
            tasks[request["task"]].cancel()
        else:
            tasks[request["id"]] = asyncio.create_task(carry_out_async(request))


def received():
    return map(json.loads, sys.stdin)


is_blocking = sys.argv[1] == "blocking"
if is_blocking:
    for request in received():
        threading.Thread(target=carry_out, args=(request,), daemon=True).start()
else:
    asyncio.run(serve())
