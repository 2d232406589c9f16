"""A bus of a later version, and one that refuses."""
import json

import adapter
from cases import case
from scene import Failure, expect, expect_error
from scripted import battery, event


def subscribed(scene, bus, *aspects, **options):
    """Starts a client; returns it and its subscription."""
    client = scene.client(bus)
    subscribing = client.begin("subscribe", of="s", aspects=list(aspects), options=options)
    subscription = bus.call("Subscribe")
    subscription.begin()
    client.result(subscribing)
    return client, subscription


def level(event):
    return (event["state"]["level"], event["changes"])


@case(
    "aspects and fields of later versions are ignored",
    "Fields may be added. An event of an aspect that was not requested is ignored.")
def fields(scene):
    bus = scene.scripted_bus()
    client, subscription = subscribed(scene, bus, "battery")
    unknown = {"aspect": "weather", "weather": "fine", "generation": 9, "sequence": 9}
    newer = battery(1, 0.5, mood=[1]) | {"cause": {"x": []}}
    subscription.notify(events=[unknown, newer], more=1)
    expect("the only event", level(client.next()), (0.5, 1))
    expect("the positions", client.call("positions", of="s")["generations"], {"battery": 1})


@case(
    "an event without its state is ignored",
    "A later version may have the state of an aspect in another field. Only a withdrawn name has none.")
def stateless(scene):
    bus = scene.scripted_bus()
    client, subscription = subscribed(scene, bus, "battery")
    moved = {name: value for name, value in battery(1, 0.6).items() if name != "battery"} | {"cell": {"level": 0.6}}
    null = battery(2, 0.5) | {"battery": None}
    subscription.notify(events=[moved, null, battery(3, 0.4, changes=3)])
    expect("the only event", level(client.next()), (0.4, 3))


@case(
    "a word of a later version is a word",
    "States may get more words. An event with an unknown one is delivered as any other.")
def words(scene):
    bus = scene.scripted_bus()
    client, subscription = subscribed(scene, bus, "battery")
    subscription.notify(events=[battery(1, 0.5, state="levitating", status="sparkling")])
    expect("the event", level(client.next()), (0.5, 1))
    subscription.notify(events=[battery(3, 0.4, changes=2)])
    expect("the next event", level(client.next()), (0.4, 2))


@case(
    "an error of a later version ends its call alone",
    "An unknown error is reported with its name, and the connection continues.")
def errors(scene):
    bus = scene.scripted_bus()
    client = scene.client(bus)
    publishing = client.begin("publish", arguments=["org.example.a", {}], options={})
    first = bus.call("Publish")
    first.fail("org.reveille.Bus.Tomorrow", reason="rain")
    try:
        client.result(publishing)
    except adapter.Refused as error:
        expect_error(error, "org.reveille.Bus.Tomorrow")
    else:
        raise Failure("a call that is refused succeeds")
    publishing = client.begin("publish", arguments=["org.example.a", {}], options={})
    second = bus.call("Publish")
    second.reply(generation=1, sequence=1, cost=7)
    client.result(publishing)
    expect("whether the connection is the same", second.connection is first.connection, True)


@case(
    "messages do not depend on how they arrive",
    "One read may have a part of a message, or several messages.")
def frames(scene):
    bus = scene.scripted_bus()
    client, subscription = subscribed(scene, bus, "battery")
    messages = [
        json.dumps({"parameters": {"events": [battery(number, number / 10)]}, "continues": True}).encode() + b"\0"
        for number in (1, 2, 3)]
    waiting = client.begin("next", of="s")
    for byte in messages[0]:
        subscription.connection.socket.sendall(bytes([byte]))
    expect("the event of a message in parts", level(client.result(waiting)), (0.1, 1))
    subscription.connection.socket.sendall(messages[1] + messages[2])
    events = [client.next()]
    while level(events[-1])[0] != 0.3:
        events.append(client.next())
    expect("the changes of two messages in one part", sum(event["changes"] for event in events), 2)


@case(
    "a subscription that continues says where it was",
    "The request has the instance, the positions, and `initial`, which the comparison of names needs.")
def request(scene):
    bus = scene.scripted_bus()
    client, subscription = subscribed(scene, bus, "battery")
    subscription.notify(events=[battery(3, 0.5)])
    client.next()
    waiting = client.begin("next", of="s")
    subscription.end()
    again = bus.call("Subscribe")
    asked = {name: again.parameters.get(name) for name in ("aspects", "instance", "resume")}
    expect(
        "the request", asked,
        {"aspects": ["battery"], "instance": "i", "resume": [{"aspect": "battery", "generation": 3}]})
    again.begin(battery(5, 0.4, changes=2), resumed=True)
    expect("the event", level(client.result(waiting)), (0.4, 2))


@case(
    "what a first reply has for a sleeper is dropped by the client",
    "The bus drops nothing of a first reply. In the background, the client does, by the longest pattern that matches.")
def sleeper(scene):
    bus = scene.scripted_bus()
    client, subscription = subscribed(
        scene, bus, "org.*", "org.example.*",
        policies={"org.*": {"background": "drop"}, "org.example.*": {"background": "immediate"}})
    client.call("enterBackground", of="s")
    waiting = client.begin("next", of="s")
    subscription.end()
    again = bus.call("Subscribe")
    expect("the state", again.parameters["state"], "background")
    dropped, immediate = event("org.test.a", 1, {"x": 1}), event("org.example.a", 2, {"x": 2})
    again.begin(dropped, immediate, resumed=True)
    expect("the event in the background", client.result(waiting)["aspect"], "org.example.a")
    waiting = client.begin("next", of="s")
    client.call("enterForeground", of="s")
    again.notify(events=[event("org.test.a", 3, {"x": 3}, changes=1)])
    expect("the event after the wake", client.result(waiting)["state"], {"x": 3})


@case(
    "a quota that is exhausted is tried again",
    "Another program may end and leave room. Any other refusal of a subscription is final.")
def quota(scene):
    bus = scene.scripted_bus()
    client, subscription = subscribed(scene, bus, "battery")
    waiting = client.begin("next", of="s")
    subscription.end()
    bus.call("Subscribe").fail("org.reveille.Bus.QuotaExceeded", quota="connections", limit=64)
    subscription = bus.call("Subscribe")
    subscription.begin(battery(1, 0.5), resumed=True)
    expect("the event", level(client.result(waiting)), (0.5, 1))
    waiting = client.begin("next", of="s")
    subscription.fail("org.varlink.service.PermissionDenied")
    try:
        client.result(waiting)
    except adapter.Refused as error:
        expect_error(error, "org.varlink.service.PermissionDenied")
    else:
        raise Failure("a subscription that is refused goes on")
