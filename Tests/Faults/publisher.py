"""A program that publishes, and publishes again what a bus has lost, as the protocol asks for."""
from __future__ import annotations

import time
import typing

import bus as buses
import history
import wire
import world


class Refused(Exception):
    """A call was answered with an error."""

    def __init__(self, error: str, parameters: wire.Object) -> None:
        super().__init__(f"{error} {parameters}")
        self.error, self.parameters = error, parameters


class Publisher:
    """A connection for calls. A call whose connection ends is made again on the next one."""

    def __init__(self, bus: buses.Bus, name: str = "publisher") -> None:
        self.bus, self.name = bus, name
        self.connection: wire.Connection | None = None
        self.reply: wire.Object | None = None
        # The states that it wants, and whether they end with its connection.
        self.states: dict[str, tuple[typing.Any, bool]] = {}
        # The instance, generation and value of each last reply.
        self.confirmed: dict[str, tuple[str, int, str]] = {}
        self.instance = ""
        self.is_busy = False
        bus.place.tended.append(self.tend)

    def tend(self) -> None:
        """Connects again, as a library does, while nobody calls."""
        if self.connection or not self.states or self.is_busy or not self.bus.accepts:
            return
        self.is_busy = True
        try:
            self.open()
        except wire.Lost:
            pass
        finally:
            self.is_busy = False

    def received(self, message: wire.Object) -> None:
        self.reply = message

    def lost(self) -> None:
        self.connection = None

    def close(self) -> None:
        """Ends the connection, and with it what was published while connected."""
        self.states = {name: state for name, state in self.states.items() if not state[1]}
        if self.connection:
            self.connection.close()

    def exchange(self, method: str, parameters: wire.Object) -> wire.Object:
        """Makes a call on this connection."""
        connection = self.connection
        if not connection:
            raise wire.Lost
        self.reply = None
        connection.send(method, parameters)
        self.bus.place.wait(
            f"the reply to {method}", lambda: self.reply is not None or self.connection is not connection)
        if self.reply is None:
            raise wire.Lost
        if "error" in self.reply:
            raise Refused(self.reply["error"], self.reply.get("parameters", {}))
        return typing.cast(wire.Object, self.reply.get("parameters", {}))

    def call(self, method: str, **parameters: typing.Any) -> wire.Object:
        """Makes a call, on a new connection if necessary."""
        if "." not in method:
            method = "org.reveille.Bus." + method
        self.is_busy = True
        try:
            while True:
                try:
                    if not self.connection:
                        self.open()
                    return self.exchange(method, parameters)
                except wire.Lost:
                    continue
        finally:
            self.is_busy = False

    def open(self) -> None:
        """Connects, checks that nothing which was confirmed is lost, and publishes its states again."""
        def attempt() -> bool:
            try:
                self.connection = wire.Connection(self.bus.place, self.bus.path, self.received, self.lost)
            except wire.Lost:
                time.sleep(0.005)
            return self.connection is not None
        self.bus.place.wait("a connection to the bus", attempt)
        if not self.states:
            return
        reply = self.exchange("org.reveille.Bus.GetState", {"aspects": list(self.states)})
        for event in reply["events"]:
            name, value = event["aspect"], history.text(event.get("value"))
            instance, generation, confirmed = self.confirmed.get(name, ("", 0, ""))
            if instance != reply["instance"]:
                continue
            self.bus.history.note(self.name, instance, name, event["generation"], value)
            if event["generation"] < generation:
                raise world.Broken("lost", f"generation {generation} of {name} was confirmed, and then there was {event}")
            if event["generation"] == generation and value != confirmed:
                raise world.Broken("two values", f"{confirmed} of {name} was confirmed, and then there was {event}")
        self.instance = reply["instance"]
        for name, (value, is_tied) in self.states.items():
            self.send_state(name, value, is_tied)

    def send_state(self, name: str, value: typing.Any, is_tied: bool) -> None:
        parameters: wire.Object = {"aspect": name, "value": value} | ({"whileConnected": True} if is_tied else {})
        generation = self.exchange("org.reveille.Bus.Publish", parameters)["generation"]
        # A bus that cannot keep its instance begins another one, without an end of this connection.
        instance = self.exchange("org.reveille.Bus.GetState", {"aspects": [name]})["instance"]
        if instance == self.instance:
            self.bus.history.note(self.name, instance, name, generation, history.text(value))
            self.confirmed[name] = (instance, generation, history.text(value))
        self.instance = instance

    def publish(self, name: str, value: typing.Any, is_tied: bool = False) -> None:
        """Publishes a state; the call is repeated until it is confirmed."""
        self.states[name] = (value, is_tied)
        self.is_busy = True
        try:
            while True:
                try:
                    if not self.connection:
                        # It publishes this one too.
                        return self.open()
                    return self.send_state(name, value, is_tied)
                except wire.Lost:
                    continue
        finally:
            self.is_busy = False
