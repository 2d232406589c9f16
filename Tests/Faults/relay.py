"""A relay before a message bus, which can be late, silent or away from any message on."""
from __future__ import annotations

import pathlib
import socket
import struct
import time
import typing

import world

# Until then, a silent message bus answers nothing: longer than its clients wait.
SILENCE = 12.0
ABSENCE = 1.0
FAULTS = {"late-0.5": 0.5, "late-1": 1.0, "late-3": 3.0, "silent": SILENCE, "away": ABSENCE}


class Relay:
    """Passes bytes both ways, and counts the messages from the message bus. At one of them, it has its fault, once."""

    def __init__(self, place: world.World, path: pathlib.Path, target: pathlib.Path, number: int, fault: str) -> None:
        self.place, self.path, self.target = place, path, target
        self.number, self.fault = number, fault
        # The messages so far; the end of the fault, before which nothing passes or nobody can connect.
        self.messages = 0
        self.until = 0.0
        self.links: list[Link] = []
        self.listener: socket.socket | None = None
        place.sockets.append(self)
        place.tended.append(self.tend)
        self.tend()

    def fileno(self) -> int:
        return self.listener.fileno() if self.listener else -1

    @property
    def is_faulty(self) -> bool:
        return time.monotonic() < self.until

    def tend(self) -> None:
        """Listens again after an absence, and passes on what was held back."""
        if self.is_faulty:
            return
        if not self.listener:
            self.path.unlink(missing_ok=True)
            self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
            self.listener.bind(str(self.path))
            self.listener.listen()
        for link in list(self.links):
            link.flush()

    def serve(self) -> None:
        assert self.listener
        client, _ = self.listener.accept()
        bus = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        bus.connect(str(self.target))
        self.links.append(Link(self, client, bus))

    def count(self) -> None:
        """Counts a message, and begins the fault with the chosen one."""
        self.messages += 1
        if self.messages != self.number:
            return
        self.place.reached = True
        self.until = time.monotonic() + FAULTS[self.fault]
        if self.fault == "away":
            assert self.listener
            self.listener.close()
            self.listener = None
            for link in list(self.links):
                link.close()


class Link:
    """A connection through the relay."""

    def __init__(self, relay: Relay, client: socket.socket, bus: socket.socket) -> None:
        self.relay = relay
        self.ends = [End(self, client, bus, False), End(self, bus, client, True)]
        relay.place.sockets.extend(self.ends)

    def flush(self) -> None:
        for end in self.ends:
            end.flush()

    def close(self) -> None:
        if self not in self.relay.links:
            return
        self.relay.links.remove(self)
        for end in self.ends:
            self.relay.place.sockets.remove(end)
            end.source.close()


class End:
    """One direction of a connection. `held` waits for the end of a fault."""

    def __init__(self, link: Link, source: socket.socket, target: socket.socket, counts: bool) -> None:
        self.link, self.source, self.target = link, source, target
        self.counts = counts
        self.held = b""
        # The start of a message.
        self.rest = b""

    def fileno(self) -> int:
        return self.source.fileno()

    def serve(self) -> None:
        try:
            part = self.source.recv(1 << 16)
        except OSError:
            part = b""
        if not part:
            return self.link.close()
        if self.counts:
            self.scan(part)
        self.held += part
        self.flush()

    def scan(self, part: bytes) -> None:
        """Counts the messages that end in a part (D-Bus Specification, "Message Format")."""
        self.rest += part
        while self.rest and self.rest[:1] not in b"lB":
            # A line of the authentication.
            line, end, self.rest = self.rest.partition(b"\r\n")
            if not end:
                self.rest = line
                return
        while len(self.rest) >= 16:
            order = "<" if self.rest[:1] == b"l" else ">"
            body, _, fields = struct.unpack(order + "3I", self.rest[4:16])
            size = 16 + (fields + 7) // 8 * 8 + body
            if len(self.rest) < size:
                return
            self.rest = self.rest[size:]
            self.link.relay.count()

    def flush(self) -> None:
        if self.link.relay.is_faulty or self.link not in self.link.relay.links:
            return
        part, self.held = self.held, b""
        try:
            self.target.sendall(part)
        except OSError:
            self.link.close()
