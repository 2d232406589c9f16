"""A relay before a message bus, which can be late, silent or away from any message on."""
from __future__ import annotations

import os
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
    """Passes bytes and descriptors both ways, and counts the messages from the message bus.

    At one of them, it has its fault, once.
    """

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
            end.drop()


class End:
    """One direction of a connection. `held` waits for the end of a fault, in parts with their descriptors."""

    def __init__(self, link: Link, source: socket.socket, target: socket.socket, counts: bool) -> None:
        self.link, self.source, self.target = link, source, target
        self.counts = counts
        self.held: list[tuple[bytes, list[int]]] = []
        # The start of a message.
        self.rest = b""

    def fileno(self) -> int:
        return self.source.fileno()

    def serve(self) -> None:
        try:
            part, descriptors, _, _ = socket.recv_fds(self.source, 1 << 16, 16)
        except OSError:
            part, descriptors = b"", []
        if not part:
            return self.link.close()
        count, last = self.scan(part) if self.counts else (0, 0)
        # Descriptors belong to the last message, and would be refused with another.
        self.held += [(part[:-last], []), (part[-last:], descriptors)]
        for _ in range(count):
            self.link.relay.count()
        self.flush()

    def scan(self, part: bytes) -> tuple[int, int]:
        """Returns how many messages end in a part, and the size of the last one (D-Bus Specification, "Message Format")."""
        count = size = 0
        self.rest += part
        while self.rest and self.rest[:1] not in b"lB":
            # A line of the authentication.
            line, end, self.rest = self.rest.partition(b"\r\n")
            if not end:
                self.rest = line
                return 0, 0
        while len(self.rest) >= 16:
            order = "<" if self.rest[:1] == b"l" else ">"
            body, _, fields = struct.unpack(order + "3I", self.rest[4:16])
            whole = 16 + (fields + 7) // 8 * 8 + body
            if len(self.rest) < whole:
                break
            count, size, self.rest = count + 1, whole, self.rest[whole:]
        return count, size

    def flush(self) -> None:
        if self.link.relay.is_faulty or self.link not in self.link.relay.links:
            return
        while self.held:
            part, descriptors = self.held.pop(0)
            try:
                sent = socket.send_fds(self.target, [part], descriptors) if part else 0
                self.target.sendall(part[sent:])
            except OSError:
                self.link.close()
            for descriptor in descriptors:
                os.close(descriptor)

    def drop(self) -> None:
        for _, descriptors in self.held:
            for descriptor in descriptors:
                os.close(descriptor)
        self.held = []
