"""The walks of Docs/Contributing/Architecture.md by their titles: what precedes each, and its trigger."""
from __future__ import annotations

import contextlib
import fcntl
import os
import time
import typing

from programs import HERE, Bus, Client, Functions, Program, wait

# A walk starts a program that is traced, and yields it with the number of its calls before the trigger.
Walk = typing.Callable[[Functions], contextlib.AbstractContextManager[tuple[Program, int]]]
SENSED = ["battery", "proximity", "orientation"]
WATCHING: list[Client] = []


def post(client: Client, number: int) -> None:
    client.call("Bus.Post", proximity={"state": "far" if number % 2 else "near"})


@contextlib.contextmanager
def wake(functions: Functions) -> typing.Iterator[tuple[Program, int]]:
    with Bus(functions) as bus:
        stream, control = bus.connect(), bus.connect()
        subscription = stream.call("Bus.Subscribe", more=True, aspects=SENSED, initial=True)["subscription"]
        control.call("Bus.SetState", subscription=subscription, state="background")
        for number in range(9):
            post(control, number)
        control.call("Bus.Post", orientation={"pose": "faceUp", "planar": "portrait"})
        before = len(bus.calls())
        control.call("Bus.SetState", subscription=subscription, state="foreground")
        stream.next("proximity")
        yield bus, before


@contextlib.contextmanager
def firing(functions: Functions) -> typing.Iterator[tuple[Program, int]]:
    with Bus(functions) as bus:
        noted = bus.directory / "noted"
        launched = HERE.parent / "Faults/programs/launched.py"
        bus.connect().call("Schedule.Add", entry={
            "id": "alarm", "aspect": "org.example.alarm", "at": int((time.time() + 1) * 1e6),
            "launch": ["/usr/bin/python3", "-B", str(launched), str(noted), "org.example.alarm"]})
        before = len(bus.calls())
        wait("the program that the bus starts", lambda: noted.exists() and "received 1" in noted.read_text())
        yield bus, before


@contextlib.contextmanager
def reading(functions: Functions) -> typing.Iterator[tuple[Program, int]]:
    with Bus(functions) as bus:
        stream = bus.connect()
        stream.call("Bus.Subscribe", more=True, aspects=["battery"], initial=True)
        before = len(bus.calls())
        # The scenario waits for another subscriber of the phone's own bus, and changes the level.
        WATCHING.append(Client(os.environ["REVEILLE_ADDRESS"]))
        WATCHING[-1].call("Bus.Subscribe", more=True, aspects=["locale"])
        stream.next("battery")
        yield bus, before


@contextlib.contextmanager
def call(functions: Functions) -> typing.Iterator[tuple[Program, int]]:
    with Bus(functions) as bus:
        client = bus.connect()
        client.call("Bus.GetState", aspects=["locale"])
        before = len(bus.calls())
        client.call("Bus.GetState", aspects=SENSED)
        yield bus, before


@contextlib.contextmanager
def event(functions: Functions) -> typing.Iterator[tuple[Program, int]]:
    with Bus({}) as bus:
        pipe = bus.directory / "pipe"
        os.mkfifo(pipe)
        # The consumer waits for room in a full pipe, so events wait for the consumer.
        end = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        os.write(end, bytes(fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, 4096)))
        with Program(["watch", "proximity", "--address", bus.address], functions, pipe) as watch:
            control = bus.connect()

            def has_read() -> bool:
                watch.check()
                subscriptions = control.call("Bus.ListSubscriptions")["subscriptions"]
                # An event that comes while another is taken is read by the same call.
                return (len(subscriptions) == 1 and not subscriptions[0]["pending"] and not subscriptions[0]["held"]
                        and watch.rests())

            wait("the subscription", has_read)
            before = len(watch.calls())
            for number in range(3):
                post(control, number)
                wait("the subscriber to read", has_read)
            yield watch, before


WALKS: dict[str, Walk] = {
    "A wake": wake, "A firing": firing, "A reading, from its watcher to a socket": reading, "A call, to its reply": call,
    "An event, to its consumer": event,
}
