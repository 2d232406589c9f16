"""A broker that answers late, or goes and comes: a relay between a program and mosquitto, which knows MQTT's packets."""
from __future__ import annotations

import pathlib
import socket
import time
import typing

import world

# How long a broker is away.
ABSENCE = 0.5


def packets(data: bytearray) -> typing.Iterator[bytes]:
    """Takes whole packets from received bytes."""
    while len(data) > 1:
        length, end = 0, 1
        while end < len(data) and end < 5:
            length |= (data[end] & 0x7f) << 7 * (end - 1)
            end += 1
            if not data[end - 1] & 0x80:
                break
        else:
            return
        if len(data) < end + length:
            return
        yield bytes(data[:end + length])
        del data[:end + length]


class Side:
    """One socket of a connection; what it receives goes to the other one."""

    def __init__(self, relay: Relay, peer: socket.socket, is_broker: bool) -> None:
        self.relay, self.socket, self.is_broker = relay, peer, is_broker
        self.other: Side = self
        self.received = bytearray()
        # What it sends, with the time before which it must not.
        self.waiting: list[tuple[float, bytes]] = []

    def fileno(self) -> int:
        return self.socket.fileno()

    def serve(self) -> None:
        try:
            data = self.socket.recv(65_536)
        except OSError:
            data = b""
        if not data:
            self.relay.end(self)
            return
        self.received += data
        for packet in packets(self.received):
            self.relay.take(self, packet)

    def send(self) -> None:
        while self.waiting and self.waiting[0][0] <= time.monotonic() and self.fileno() >= 0:
            try:
                self.socket.sendall(self.waiting.pop(0)[1])
            except OSError:
                self.relay.end(self)


class Relay:
    """Listens in place of the broker. From the moment when it is armed, each packet is a step."""

    def __init__(self, place: world.World, path: pathlib.Path, broker: str) -> None:
        self.place, self.path, self.broker = place, path, broker
        self.sides: list[Side] = []
        self.steps = 0
        # The fault: `late`, `never`, `before` or `after`, its step, and the seconds of `late`.
        self.fault, self.step, self.seconds = "", 0, 0.0
        self.is_armed = False
        self.absent_until = 0.0
        self.listener: socket.socket | None = None
        self.listen()
        place.tended.append(self.tend)
        place.cleanups.append(self.close)

    def arm(self, fault: str, step: int) -> None:
        self.is_armed = True
        name, _, seconds = fault.partition("-")
        self.fault, self.step, self.seconds = name, step, float(seconds or 0)

    def heal(self) -> None:
        """Ends a fault that is not just late, with the connections that lost something."""
        if self.fault == "never" and self.steps >= self.step:
            self.vanish()
        if self.fault != "late":
            self.fault = ""

    def listen(self) -> None:
        self.path.unlink(missing_ok=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen()
        self.place.sockets.append(self)

    def fileno(self) -> int:
        return self.listener.fileno() if self.listener else -1

    def serve(self) -> None:
        assert self.listener
        client, _ = self.listener.accept()
        upstream = socket.socket(socket.AF_UNIX)
        upstream.connect(self.broker)
        one, other = Side(self, client, False), Side(self, upstream, True)
        one.other, other.other = other, one
        self.sides += [one, other]
        self.place.sockets += [one, other]

    def tend(self) -> None:
        for side in list(self.sides):
            side.send()
        if not self.listener and time.monotonic() > self.absent_until:
            self.listen()

    def take(self, side: Side, packet: bytes) -> None:
        self.steps += self.is_armed
        is_step = self.is_armed and self.steps == self.step
        if is_step and self.fault in ("before", "after", "never"):
            self.place.reached = True
        if self.is_armed and self.fault == "never" and self.steps >= self.step:
            return
        if is_step and self.fault == "before":
            self.vanish()
            return
        delay = self.seconds if self.is_armed and self.fault == "late" and side.is_broker else 0.0
        if delay:
            self.place.reached = True
        side.other.waiting.append((time.monotonic() + delay, packet))
        side.other.send()
        if is_step and self.fault == "after":
            self.vanish()

    def vanish(self) -> None:
        """The broker ends all connections, and refuses others for a while."""
        self.absent_until = time.monotonic() + ABSENCE
        if self.listener:
            self.place.sockets.remove(self)
            self.listener.close()
            self.listener = None
            self.path.unlink(missing_ok=True)
        for side in list(self.sides):
            self.end(side)

    def end(self, side: Side) -> None:
        for one in (side, side.other):
            if one in self.sides:
                self.sides.remove(one)
                self.place.sockets.remove(one)
                one.socket.close()

    def close(self) -> None:
        self.vanish()
