"""The background, and events that are taken late."""
import wire
from cases import case
from scene import expect


def summary(event):
    state = event["state"]
    return (event["aspect"], state.get("level", state.get("state")), event["changes"], event["netChange"])


@case(
    "a wake has one event for each aspect",
    "`changes` is the number of merged changes, and `netChange` is false if the state is the one that was taken last.")
def wake(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "battery", "proximity")
    bus.battery(0.5)
    bus.proximity("near")
    client.take(2)
    client.call("enterBackground", of="s")
    bus.battery(0.4, 0.3)
    bus.proximity("far", "near")
    client.call("enterForeground", of="s")
    events = client.take(2)
    expect("the event of the battery", summary(events["battery"]), ("battery", 0.3, 2, True))
    expect("the event of a state that is back", summary(events["proximity"]), ("proximity", "near", 2, False))
    bus.battery(0.2)
    expect("the next event", summary(client.next()), ("battery", 0.2, 1, True))


@case(
    "an event that was not taken is part of the one on wake",
    "There is one event for each aspect, although the client had received another one before the background.")
def not_taken(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "battery", "proximity")
    client.call("enterBackground", of="s")
    bus.battery(0.5)
    bus.proximity("near")
    client.call("enterForeground", of="s")
    expect("the event that is taken", client.next()["aspect"], "battery")
    bus.battery(0.4)
    client.call("enterBackground", of="s")
    waiting = client.begin("next", of="s")
    bus.battery(0.3, 0.5)
    bus.proximity("far")
    client.call("enterForeground", of="s")
    events = {event["aspect"]: event for event in (client.result(waiting), client.next())}
    expect("the event of the battery", summary(events["battery"]), ("battery", 0.5, 3, False))
    expect("the event of the other aspect", summary(events["proximity"])[:3], ("proximity", "far", 2))
    bus.battery(0.1)
    expect("the next event", summary(client.next()), ("battery", 0.1, 1, True))


@case(
    "policies apply in the background",
    "`immediate` is delivered there, `hold` keeps each change, `drop` none, and a longer pattern precedes a shorter one.")
def policies(scene):
    bus = scene.bus()
    client = scene.subscriber(
        bus, "battery", "proximity", "org.*", "org.example.*", background=True,
        policies={
            "battery": {"background": "hold", "limit": 2}, "proximity": {"background": "immediate"},
            "org.*": {"background": "drop"}, "org.example.*": {"background": "coalesce"}})
    bus.battery(0.5, 0.4, 0.3)
    bus.publish("org.test.a", {})
    bus.publish("org.example.a", {})
    bus.proximity("near")
    expect("the event in the background", client.next()["aspect"], "proximity")
    client.call("enterForeground", of="s")
    events = [client.next() for _ in range(3)]
    held = [(event["state"]["level"], event["dropped"]) for event in events if event["aspect"] == "battery"]
    expect("the levels that were kept, with those that were not", held, [(0.4, 1), (0.3, 0)])
    expect("the name that is not dropped", [event["aspect"] for event in events if "." in event["aspect"]], ["org.example.a"])
    bus.proximity("far")
    expect("the next event", client.next()["aspect"], "proximity")


@case(
    "changes that `hold` keeps are not merged on wake",
    "With this policy, an event that was not taken before the background stays an event of its own.")
def hold(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "battery", policies={"battery": {"background": "hold", "limit": 10}})
    client.call("enterBackground", of="s")
    bus.battery(0.5, 0.4)
    client.call("enterForeground", of="s")
    expect("the first event", summary(client.next()), ("battery", 0.5, 1, True))
    client.call("enterBackground", of="s")
    bus.battery(0.3, 0.2)
    client.call("enterForeground", of="s")
    levels = [summary(client.next())[1:3] for _ in range(3)]
    expect("the levels, each with one change", levels, [(0.4, 1), (0.3, 1), (0.2, 1)])


@case(
    "a background survives a kill of the bus",
    "The client subscribes in the background again, takes nothing there, and the wake has one event for each aspect.")
def kill(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "battery", "proximity")
    client.call("enterBackground", of="s")
    waiting = client.begin("next", of="s")
    bus.battery(0.5)
    for level in (0.4, 0.3):
        bus.crash()
        bus.wait_until_held("app")
        bus.battery(level)
        bus.proximity("near")
    client.call("enterForeground", of="s")
    events = {event["aspect"]: event for event in (client.result(waiting), client.next())}
    expect("the event of the battery", summary(events["battery"]), ("battery", 0.3, 3, True))
    expect("the event of the other aspect", summary(events["proximity"]), ("proximity", "near", 1, True))
    bus.proximity("far")
    expect("the next event", summary(client.next()), ("proximity", "far", 1, True))


@case(
    "the end of a background survives a kill of the bus",
    "The next bus gets the rest of `wakeAfter`, or the client ends the background itself.")
def deadline(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "battery")
    client.call("enterBackground", of="s", wakeAfter=1_000)
    bus.battery(0.5)
    bus.crash()
    expect("the event after the end", summary(client.next()), ("battery", 0.5, 1, True))
    bus.wait_until_held()


@case(
    "a background that begins and ends without a bus applies later",
    "Neither needs a bus: the next one learns of it when the client subscribes.")
def without_bus(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "battery")
    waiting = client.begin("next", of="s")
    bus.kill()
    client.call("enterBackground", of="s")
    bus.start()
    bus.wait_until_held("app")
    bus.kill()
    client.call("enterForeground", of="s")
    bus.start()
    bus.battery(0.5)
    expect("the event", summary(client.result(waiting)), ("battery", 0.5, 1, True))
    bus.wait_until_held()


@case(
    "an inactive subscription is inactive on the next bus",
    "Subscribe has no such state: the client calls SetState after the first reply.")
def inactive(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "battery")
    client.call("becomeInactive", of="s")
    client.begin("next", of="s")
    bus.crash()
    wire.wait_for(
        "the subscription to be inactive",
        lambda: (entry := bus.subscription()) and entry.get("lifecycle") == "inactive")


@case(
    "what is taken late is merged",
    "The client does not read before an event is wanted, or merges what it reads: hardly any event is stale.")
def taken_late(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "battery")
    bus.battery(*(step / 100 for step in range(1, 101)))
    taken = []
    while not taken or taken[-1]["state"]["level"] != 1:
        taken.append(client.next())
    # One is in the client, one in the socket, and the last waits on the bus.
    expect("whether there are more than three events", len(taken) > 3, False)
    expect("the number of changes", sum(event["changes"] for event in taken), 100)
