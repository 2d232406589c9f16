"""A bus that goes and comes back."""
from cases import case
from scene import expect


def battery(event):
    """The level and the number of changes."""
    return (event["aspect"], (event["state"] or {}).get("level"), event["changes"])


@case(
    "a restart loses and repeats nothing",
    "After a loss, the client subscribes again with the instance and the positions, and each change is counted once.")
def restart(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "battery", "proximity")
    bus.battery(0.5)
    expect("the first event", battery(client.next()), ("battery", 0.5, 1))
    for level in (0.4, 0.3, 0.2):
        bus.crash()
        bus.battery(level)
        expect("the event after a restart", battery(client.next()), ("battery", level, 1))
    bus.proximity("near")
    expect("the next event", client.next()["aspect"], "proximity")


@case(
    "changes during an absence are one event for each aspect",
    "The first reply to a subscription that resumes has one event for each aspect that changed, with the number of changes.")
def absence(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "battery", "proximity", "orientation")
    bus.battery(0.5)
    bus.proximity("near")
    client.take(2)
    client.pause()
    bus.crash()
    bus.battery(0.4, 0.3, 0.2)
    bus.proximity("far", "near")
    client.unpause()
    events = client.take(2)
    expect("the event of the battery", battery(events["battery"]), ("battery", 0.2, 3))
    proximity = events["proximity"]
    expect("the event of a state that is back", (proximity["changes"], proximity["netChange"]), (2, False))
    bus.call("Post", orientation={"pose": "faceUp"})
    expect("the next event", client.next()["aspect"], "orientation")


@case(
    "a later process resumes from positions",
    "Positions that were stored continue a subscription in another process, even with the next bus.")
def later_process(scene):
    bus = scene.bus()
    earlier = scene.subscriber(bus, "battery", "proximity")
    bus.battery(0.5)
    bus.proximity("near")
    earlier.take(2)
    positions = earlier.call("positions", of="s")
    bus.battery(0.4, 0.3)
    earlier.close()
    bus.crash()
    later = scene.subscriber(bus, "battery", "proximity", resume=positions)
    expect("the first event", battery(later.next()), ("battery", 0.3, 2))
    bus.proximity("far", "near")
    expect("the next event", later.next()["aspect"], "proximity")


@case(
    "positions are those of the events taken",
    "An event that was received and not taken does not move the position of its aspect.")
def taken(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "battery", "proximity")
    client.call("enterBackground", of="s")
    bus.battery(0.5)
    bus.proximity("near")
    client.call("enterForeground", of="s")
    expect("the first event", client.next()["aspect"], "battery")
    positions = client.call("positions", of="s")
    client.subscribe("battery", "proximity", of="later", resume=positions)
    event = client.next("later")
    expect("the event that was not taken", (event["aspect"], event["changes"]), ("proximity", 1))


@case(
    "a bus that does not know the instance sends current states",
    "With `resumed` false, the positions are replaced: each state that differs is an event with 0 changes.")
def other_instance(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "battery", "proximity")
    bus.battery(0.5)
    bus.proximity("near")
    client.take(2)
    bus.forget()
    events = client.take(2)
    expect("the aspects", sorted(events), ["battery", "proximity"])
    expect("the numbers of changes", [event["changes"] for event in events.values()], [0, 0])
    bus.battery(0.4)
    expect("the next event", battery(client.next()), ("battery", 0.4, 1))


@case(
    "a later process meets a bus that does not know the instance",
    "Positions of an instance that is gone are no error: current states are events with 0 changes.")
def other_instance_later(scene):
    bus = scene.bus()
    bus.battery(0.5)
    positions = {"instance": "00000000000000000000000000000000", "generations": {"battery": 1_000_000}}
    client = scene.subscriber(bus, "battery", resume=positions)
    expect("the state", battery(client.next()), ("battery", 0.5, 0))
    bus.battery(0.4)
    expect("the next event", battery(client.next()), ("battery", 0.4, 1))


@case(
    "positions stay until the states of another instance are taken",
    "Until then, a process that resumes from the positions must find the same states and withdrawals.")
def adoption(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "org.example.*")
    bus.publish("org.example.volume", {"x": 1})
    expect("the event", client.next()["state"], {"x": 1})
    before = client.call("positions", of="s")
    client.call("enterBackground", of="s")
    waiting = client.begin("next", of="s")
    bus.forget()
    bus.wait_until_held("app")
    expect("the positions", client.call("positions", of="s"), before)
    later = scene.client(bus)
    later.subscribe("org.example.*", of="later", resume=before)
    expect("the withdrawal in another process", later.next("later")["state"], None)
    client.call("enterForeground", of="s")
    event = client.result(waiting)
    expect("the withdrawal", (event["aspect"], event["state"], event["changes"]), ("org.example.volume", None, 0))
    expect("the positions at the end", client.call("positions", of="s")["generations"], {})


@case(
    "changes that `drop` discards stay discarded",
    "A resumption begins after the changes that were dropped, by the bus, and while the bus was away.")
def drop(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "battery", "proximity", policies={"battery": {"background": "drop"}})
    client.call("enterBackground", of="s")
    bus.battery(0.5)
    client.call("enterForeground", of="s")
    waiting = client.begin("next", of="s")
    bus.crash()
    bus.wait_until_held()
    client.call("enterBackground", of="s")
    bus.battery(0.4)
    bus.crash()
    bus.proximity("near")
    bus.wait_until_held("app")
    client.call("enterForeground", of="s")
    expect("the only event", client.result(waiting)["aspect"], "proximity")
    bus.battery(0.3)
    expect("the next event", battery(client.next()), ("battery", 0.3, 1))


@case(
    "a state that is back is no event with `netChangeOnly`",
    "Policies do not apply to a first reply: the client leaves out what they would not deliver.")
def net_change_only(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "battery", "proximity", policies={"proximity": {"netChangeOnly": True}})
    bus.proximity("near")
    client.next()
    client.pause()
    bus.crash()
    bus.proximity("far", "near")
    waiting = client.begin("next", of="s")
    client.unpause()
    bus.wait_until_held()
    bus.battery(0.5)
    expect("the only event", battery(client.result(waiting)), ("battery", 0.5, 1))
    bus.proximity("far")
    event = client.next()
    expect("the next event", (event["aspect"], event["state"]), ("proximity", {"state": "far"}))
