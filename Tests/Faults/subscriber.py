"""A subscriber as the protocol asks for: it reconnects, and resumes by its positions."""
from __future__ import annotations

import time
import typing

import bus as buses
import history
import wire
import world

# Clients begin with 20 ms. A program that fails again is not tried at once.
PAUSE = 0.01


class Subscriber:
    """A stream of events, and the state of its program."""

    def __init__(self, bus: buses.Bus, name: str, aspects: list[str], policies: list[wire.Object] | None = None,
                 instance: str = "", resume: dict[str, int] | None = None) -> None:
        self.bus, self.name, self.aspects, self.policies = bus, name, aspects, policies or []
        self.positions = history.Positions(name, bus.history)
        self.positions.patterns = tuple(aspect[:-1] for aspect in aspects if aspect.endswith(".*"))
        self.positions.instance, self.positions.generations = instance, dict(resume or {})
        self.connection: wire.Connection | None = None
        self.subscription = ""
        self.is_asleep = False
        self.is_quiet = False
        self.is_closed = False
        self.events: list[wire.Object] = []
        self.failure: wire.Object | None = None
        self.retry = 0.0
        bus.place.tended.append(self.tend)

    def tend(self) -> None:
        """Connects again."""
        if self.connection or self.is_closed or time.monotonic() < self.retry:
            return
        self.retry = time.monotonic() + PAUSE
        self.subscription = ""
        try:
            self.connection = wire.Connection(self.bus.place, self.bus.path, self.received, self.lost)
        except wire.Lost:
            return
        parameters: wire.Object = {
            "aspects": self.aspects, "name": self.name, "policies": self.policies, "initial": True,
            "state": "background" if self.is_asleep else "foreground"}
        if self.positions.instance:
            parameters |= {"instance": self.positions.instance, "resume": [
                {"aspect": name, "generation": generation}
                for name, generation in self.positions.generations.items() if name != "lifecycle"]}
        self.connection.send("org.reveille.Bus.Subscribe", parameters, more=True)

    def lost(self) -> None:
        self.connection, self.subscription = None, ""
        self.retry = time.monotonic() + PAUSE

    def close(self) -> None:
        """Ends the subscription."""
        self.is_closed = True
        if self.connection:
            self.connection.close()

    def received(self, message: wire.Object) -> None:
        if "error" in message:
            # A reason; it tries again as a program would.
            self.failure = message
            assert self.connection
            return self.connection.close()
        reply = message["parameters"]
        is_first = not self.subscription
        if is_first:
            self.subscription = reply["subscription"]
            if not reply.get("resumed"):
                self.positions.begin(reply["instance"])
            elif reply["instance"] != self.positions.instance:
                raise world.Broken("resumed wrongly", f"{self.name}: {reply}")
            self.positions.generations.pop("lifecycle", None)
        elif not reply["events"]:
            raise world.Broken("empty", f"{self.name} got a reply without events")
        for event in reply["events"]:
            if self.is_quiet and not is_first and event["aspect"] != "lifecycle":
                raise world.Broken("woken", f"{self.name} sleeps, and got {event}")
            self.positions.take(event, is_first)
            self.events.append(event)

    @property
    def is_connected(self) -> bool:
        return bool(self.subscription)

    def value(self, name: str) -> str | None:
        return self.positions.values.get(name)

    def has(self, name: str, value: typing.Any) -> bool:
        """Returns whether this is its state of a name; a name that it does not know is withdrawn."""
        return (self.value(name) or "null") == history.text(value)

    def __str__(self) -> str:
        state = "connected" if self.is_connected else f"not connected ({self.failure})"
        return f"{self.name}, {state}, with {self.positions.values} {self.positions.generations}"
