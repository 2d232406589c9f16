"""Published names: a bus forgets those that are withdrawn, and a call has no room for the positions of all."""
from cases import case
from scene import expect

# A call has at most 64 KiB. These positions have more.
LONG = [f"org.example.{number:03}." + "x" * 230 for number in range(300)]


def summary(event):
    return (event["aspect"], event["state"], event["changes"])


@case(
    "names that came and went",
    "A name that was withdrawn has no position, and one that came and went during an absence is no event.")
def came_and_went(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "org.example.*")
    bus.publish("org.example.a", {})
    bus.publish("org.example.b", {})
    client.take(2)
    bus.withdraw("org.example.b")
    client.next()
    positions = client.call("positions", of="s")
    expect("the names with positions", list(positions["generations"]), ["org.example.a"])
    client.call("close", of="s")
    bus.withdraw("org.example.a")
    bus.publish("org.example.c", {})
    bus.withdraw("org.example.c")
    bus.publish("org.example.d", {})
    client.subscribe("org.example.*", resume=positions)
    events = client.take(2)
    expect("the events", {name: event["state"] for name, event in events.items()}, {"org.example.a": None, "org.example.d": {}})
    bus.publish("org.example.e", {})
    expect("the next event", client.next()["aspect"], "org.example.e")


@case(
    "a withdrawal during an absence is one event",
    "The bus reports it for a position of a name that it has forgotten. Without a position, it is not reported again.")
def forgotten(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "org.example.*")
    for name in "ab":
        bus.publish(f"org.example.{name}", {"x": 1})
    client.take(2)
    client.pause()
    bus.crash()
    bus.withdraw("org.example.b")
    client.unpause()
    event = client.next()
    expect("the withdrawal", summary(event), ("org.example.b", None, 1))
    bus.crash()
    bus.publish("org.example.c", {})
    expect("the next event", client.next()["aspect"], "org.example.c")


@case(
    "a name that the subscription lists is withdrawn once",
    "The bus reports a listed name that is not published in each first reply: it is an event only if it was published.")
def listed(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "org.example.a", "org.example.b")
    bus.publish("org.example.a", {"x": 1})
    client.next()
    bus.withdraw("org.example.a")
    expect("the withdrawal", summary(client.next()), ("org.example.a", None, 1))
    waiting = client.begin("next", of="s")
    for _ in range(2):
        bus.crash()
        bus.wait_until_held()
    bus.publish("org.example.b", {"x": 2})
    expect("the next event", summary(client.result(waiting)), ("org.example.b", {"x": 2}, 1))


@case(
    "a call has no room for all positions",
    "Positions of names that only patterns match are left out of a call. The client corrects the counts of these names, and "
    "makes the withdrawals of those that the reply lacks.")
def no_room(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "org.example.*", "battery")
    for name in LONG:
        bus.publish(name, {"x": 0})
    taken = {}
    while len(taken) < len(LONG):
        taken |= client.take(1)
    client.pause()
    bus.crash()
    for name in (LONG[0], LONG[-1]):
        bus.publish(name, {"x": 1}, {"x": 2})
    bus.withdraw(LONG[1])
    bus.withdraw(LONG[-2])
    client.unpause()
    events = client.take(4)
    expected = {LONG[0]: ({"x": 2}, 2), LONG[-1]: ({"x": 2}, 2), LONG[1]: (None, 1), LONG[-2]: (None, 1)}
    expect(
        "the events", {name[:16]: (event["state"], event["changes"]) for name, event in events.items()},
        {name[:16]: entry for name, entry in expected.items()})
    bus.battery(0.5)
    expect("the next event", client.next()["aspect"], "battery")
