"""Values that are published while connected."""
import adapter
import wire
from cases import case
from scene import Failure, expect, expect_error


def wait_for_value(bus, name, value):
    wire.wait_for(f"{name} to be {value}", lambda: bus.value(name) == value)


@case(
    "a value is withdrawn with its connection",
    "The bus withdraws what is published `whileConnected` when the connection of the call ends.")
def tied(scene):
    bus = scene.bus()
    client = scene.client(bus)
    client.publish("org.example.a", {"x": 1}, while_connected=True)
    client.publish("org.example.b", {"x": 1})
    expect("the value", bus.value("org.example.a"), {"x": 1})
    client.call("close")
    wait_for_value(bus, "org.example.a", None)
    expect("the other value", bus.value("org.example.b"), {"x": 1})


@case(
    "a value is published again after a restart",
    "The last value of each name returns with the next bus, even if the program does nothing, until it is withdrawn.")
def again(scene):
    bus = scene.bus()
    client = scene.client(bus)
    client.publish("org.example.a", {"x": 1}, while_connected=True)
    client.publish("org.example.a", {"x": 2}, while_connected=True)
    client.publish("org.example.b", {"x": 3}, while_connected=True)
    for _ in range(2):
        bus.crash()
        wait_for_value(bus, "org.example.a", {"x": 2})
        wait_for_value(bus, "org.example.b", {"x": 3})
    client.call("withdraw", arguments=["org.example.a"])
    bus.crash()
    wait_for_value(bus, "org.example.b", {"x": 3})
    expect("the value that was withdrawn", bus.value("org.example.a"), None)


@case(
    "a value that is published otherwise is not published again",
    "The last call decides: without `whileConnected`, the value is the bus's.")
def untied(scene):
    bus = scene.bus()
    client = scene.client(bus)
    client.publish("org.example.a", {"x": 1}, while_connected=True)
    client.publish("org.example.b", {"x": 1}, while_connected=True)
    client.publish("org.example.a", {"x": 2})
    bus.publish("org.example.a", {"x": 3})
    bus.crash()
    wait_for_value(bus, "org.example.b", {"x": 1})
    expect("the value of another program", bus.value("org.example.a"), {"x": 3})


@case(
    "a value for which there is no bus is published later",
    "The call fails, and the newest value of each name goes to the next bus.")
def missed(scene):
    bus = scene.bus()
    client = scene.client(bus)
    client.publish("org.example.a", {"x": 1}, while_connected=True)
    bus.kill()
    for name, value in (("org.example.a", 2), ("org.example.a", 3), ("org.example.late", 4)):
        try:
            client.publish(name, {"x": value}, while_connected=True)
        except adapter.Refused:
            continue
        raise Failure("a value is published without a bus")
    bus.start()
    wait_for_value(bus, "org.example.a", {"x": 3})
    wait_for_value(bus, "org.example.late", {"x": 4})


@case(
    "a value that is refused again does not stop the others",
    "The next bus may have other limits. The client goes on with the other values, and with its calls.")
def refused(scene):
    bus = scene.bus()
    client = scene.client(bus)
    for name in "abc":
        text = "x" * (1_000 if name == "b" else 1)
        client.publish(f"org.example.{name}", {"text": text}, while_connected=True)
    bus.kill()
    bus.start("{ publish: { valueSize: 100 } }")
    wait_for_value(bus, "org.example.a", {"text": "x"})
    wait_for_value(bus, "org.example.c", {"text": "x"})
    expect("the value that is too long", bus.value("org.example.b"), None)
    client.publish("org.example.d", {"x": 1})


@case(
    "a refused value changes nothing",
    "The value before it is the one that is published again.")
def refused_first(scene):
    bus = scene.bus()
    client = scene.client(bus)
    client.publish("org.example.a", {"x": 1}, while_connected=True)
    try:
        client.publish("org.example.a", {"text": "x" * 5_000}, while_connected=True)
    except adapter.Refused as error:
        expect_error(error, "org.reveille.Bus.QuotaExceeded")
    else:
        raise Failure("a value of 5,000 bytes is published")
    bus.crash()
    wait_for_value(bus, "org.example.a", {"x": 1})
