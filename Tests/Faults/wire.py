"""A connection to a bus: calls as JSON objects, each followed by one NUL byte."""
from __future__ import annotations

import json
import socket
import struct
import typing

import record
import world

Object = dict[str, typing.Any]


class Lost(Exception):
    """The connection ended."""


class Connection:
    """A connection that its world serves; whole messages go to `received`, its end to `lost`."""

    def __init__(self, place: world.World, path: str, received: typing.Callable[[Object], None],
                 lost: typing.Callable[[], None]) -> None:
        self.place = place
        self.received = received
        self.lost = lost
        self.bytes = b""
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            self.socket.connect(path)
        except OSError as error:
            self.socket.close()
            raise Lost from error
        peer = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        self.notes = place.record.client(struct.unpack("3i", peer)[0])
        place.sockets.append(self)

    def fileno(self) -> int:
        return self.socket.fileno()

    def send(self, method: str, parameters: Object, more: bool = False) -> None:
        call = {"method": method, "parameters": parameters} | ({"more": True} if more else {})
        self.notes.call(method, parameters, more)
        try:
            self.socket.sendall(json.dumps(call).encode() + b"\0")
        except OSError:
            # What came before the end can still be read.
            pass

    def serve(self) -> None:
        since = record.now()
        try:
            part = self.socket.recv(1 << 20)
        except OSError:
            part = b""
        if not part:
            if self.bytes:
                self.close("bus")
                raise world.Broken("half a message", f"the connection ended within {self.bytes[:200]!r}")
            return self.close("bus")
        *messages, self.bytes = (self.bytes + part).split(b"\0")
        for message in messages:
            try:
                value = json.loads(message)
            except ValueError as error:
                raise world.Broken("half a message", f"not JSON: {message[:200]!r}") from error
            self.notes.reply(value, since)
            self.received(value)

    def close(self, by: str = "client") -> None:
        if self.socket.fileno() < 0:
            return
        self.notes.close(by)
        self.place.sockets.remove(self)
        self.socket.close()
        self.lost()
