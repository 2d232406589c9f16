"""Programs that are suspended, and their tasks."""
import adapter
import wire
from cases import case
from scene import Failure, expect, expect_error


@case(
    "a program that was stopped finds one event for each aspect",
    "The socket has at most one reply. After it, there is one event for each aspect that changed.")
def stopped(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "battery", "proximity")
    bus.battery(0.5)
    client.next()
    client.pause()
    for step in range(20):
        bus.battery(step / 100)
        bus.proximity("near" if step % 2 == 0 else "far")
    client.unpause()
    events = []
    while [sum(event["changes"] for event in events if event["aspect"] == aspect) for aspect in ("battery", "proximity")] != [20, 20]:
        events.append(client.next())
    expect("whether there are more than three events", len(events) > 3, False)


@case(
    "the lifecycle is delivered in the background",
    "`lifecycle` passes the holds `app` and `operator`, and comes first in its reply.")
def lifecycle(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "lifecycle", "battery")
    client.call("enterBackground", of="s")
    event = client.next()
    expect("the event in the background", (event["aspect"], event["state"]), ("lifecycle", {"state": "background"}))
    bus.battery(0.5)
    client.call("enterForeground", of="s")
    events = [client.next(), client.next()]
    expect("the events of the wake", [event["aspect"] for event in events], ["lifecycle", "battery"])
    expect("the state", events[0]["state"], {"state": "active"})


@case(
    "a task begins again with the next bus",
    "A task is a call that lasts: after a loss, the client begins it again with the new subscription, until it has ended.")
def task(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "battery")

    def wait_for_tasks(*names):
        wire.wait_for(
            f"the tasks {list(names)}",
            lambda: (entry := bus.subscription()) and [task["name"] for task in entry.get("tasks") or []] == list(names))

    client.call("task", of="s")
    for _ in range(2):
        wait_for_tasks("work")
        bus.crash()
    wait_for_tasks("work")
    client.call("endTask", of="s")
    wait_for_tasks()
    bus.crash()
    bus.battery(0.5)
    expect("the next event", client.next()["aspect"], "battery")
    wait_for_tasks()


@case(
    "a suspension that is impossible leaves the background",
    "The call fails with CannotSuspend, and the subscription is in the background nevertheless.")
def impossible(scene):
    bus = scene.bus()
    client = scene.subscriber(bus, "battery")
    try:
        client.call("suspend", arguments=[bus.subscription()["subscription"]])
    except adapter.Refused as error:
        expect_error(error, "org.reveille.Bus.CannotSuspend")
    else:
        raise Failure("a program suspends its own bus")
    expect("the holds", bus.subscription()["held"], ["app"])


@case(
    "other calls are answered during a suspension",
    "A suspension takes as long as the tasks of a program. It has a connection of its own.")
def own_connection(scene):
    bus = scene.scripted_bus()
    client = scene.client(bus)
    suspending = client.begin("suspend", arguments=["0000000000000002"])
    suspension = bus.call("SetState")
    expect("the state", suspension.parameters["state"], "suspended")
    publishing = client.begin("publish", arguments=["org.example.a", {}], options={})
    bus.call("Publish").reply(generation=1, sequence=1)
    client.result(publishing)
    suspension.reply()
    client.result(suspending)
