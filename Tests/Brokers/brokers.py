"""The brokers that are compared. Each supplies its command and the bytes of its protocol."""
from __future__ import annotations

import json
import os
import pathlib
import random
import struct
import sys

import broker
from broker import Broker, Connection


class BareLoop(Broker):
    """The baseline: a loop in C that does nothing but read a message and send it to each subscriber."""

    name = "bare loop"
    messages = [Broker.payload] * 2

    def command(self) -> list[str]:
        return [broker.build("bare-loop.c"), self.address]

    def greet(self, connection: Connection) -> None:
        connection.sendall(b"P")
        connection.receive(1)

    def subscribe(self, connection: Connection) -> None:
        connection.sendall(b"S")
        connection.receive(1)


class Reveille(Broker):
    """The bus as users run it, with room for many subscribers.

    A message is a posted state of the proximity sensor, so that nothing is read from devices or files.
    """

    name = "Reveille"
    last_byte = 0
    program = ".build-static/release/reveille"

    @staticmethod
    def call(method: str, flag: str | None = None, **parameters: object) -> bytes:
        message = {"method": "org.reveille.Bus." + method, "parameters": parameters} | ({flag: True} if flag else {})
        return json.dumps(message, separators=(",", ":")).encode() + b"\0"

    # A call whose reply follows the replies to all earlier calls.
    fence = b'{"method":"org.varlink.service.GetInfo"}\0'

    def command(self) -> list[str]:
        configuration = self.directory / "configuration.json5"
        configuration.write_text("{ bus: { connections: 20000, connectionsPerUser: 20000 } }")
        return [self.program, "serve", "--address", f"unix:{self.address}", "--config", str(configuration),
                "--root", str(self.directory)]

    def ask(self, connection: Connection, call: bytes) -> dict:
        """Calls a method, and waits for its first reply."""
        connection.sendall(call)
        reply = json.loads(connection.receive_through(b"\0")[:-1])
        if "error" in reply:
            raise ConnectionError(reply)
        return reply.get("parameters", {})

    def subscribe(self, connection: Connection, aspects: tuple[str, ...] = ("proximity",),
                  state: str = "foreground") -> str:
        call = self.call("Subscribe", "more", aspects=list(aspects), state=state)
        return self.ask(connection, call)["subscription"]


Reveille.messages = [Reveille.call("Post", "oneway", proximity={"state": state}) for state in ("near", "far")]


class Redis(Broker):
    name = "Redis"
    messages = [b"*3\r\n$7\r\nPUBLISH\r\n$5\r\nbench\r\n$200\r\n" + Broker.payload + b"\r\n"] * 2

    def command(self) -> list[str]:
        return ["redis-server", "--port", "0", "--unixsocket", self.address, "--dir", str(self.directory),
                "--save", "", "--appendonly", "no", "--maxclients", "12000"]

    def subscribe(self, connection: Connection) -> None:
        connection.sendall(b"SUBSCRIBE bench\r\n")
        connection.receive_through(b":1\r\n")


class NATS(Broker):
    """It listens on TCP only."""

    name = "NATS"
    messages = [b"PUB bench 200\r\n" + Broker.payload + b"\r\n"] * 2

    def command(self) -> list[str]:
        # Linux gives no port in this range to clients by default. If the port is taken, NATS ends.
        self.address = random.randrange(10_000, 32_768)
        return ["nats-server", "--addr", "127.0.0.1", "--port", str(self.address)]

    def greet(self, connection: Connection, subscription: bytes = b"") -> None:
        connection.sendall(b'CONNECT {"verbose":false,"pedantic":false}\r\n' + subscription + b"PING\r\n")
        connection.receive_through(b"PONG\r\n")

    def subscribe(self, connection: Connection) -> None:
        self.greet(connection, b"SUB bench 1\r\n")


class Mosquitto(Broker):
    """MQTT 3.1.1 with QoS 0."""

    name = "mosquitto"
    messages = [bytes([0x30, 207 % 128 | 0x80, 207 // 128]) + b"\0\5bench" + Broker.payload] * 2

    def command(self) -> list[str]:
        # As root, it would otherwise become a user that cannot access the directory.
        file = self.directory / "mosquitto.conf"
        file.write_text(f"listener 0 {self.address}\nallow_anonymous true\npersistence false\nuser root\n")
        return ["mosquitto", "-c", str(file)]

    def greet(self, connection: Connection) -> None:
        # CONNECT: protocol level 4, a clean session, no keep-alive, and an identifier that the broker chooses.
        connection.sendall(b"\x10\x0c\0\4MQTT\4\2\0\0\0\0")
        connection.receive(4)

    def subscribe(self, connection: Connection) -> None:
        self.greet(connection)
        connection.sendall(b"\x82\x0a\0\1\0\5bench\0")
        connection.receive(5)


class DBus(Broker):
    """dbus-daemon: a signal with an array of bytes, and a match rule for each subscriber."""

    name = "dbus-daemon"

    @staticmethod
    def message(kind: int, fields: list[tuple[int, str, str]], body: bytes) -> bytes:
        """Encodes a message; its serial number is always the same, which dbus-daemon allows."""
        header = b""
        for field, signature, value in fields:
            header += bytes(-len(header) % 8) + bytes([field, 1, ord(signature), 0])
            header += struct.pack("B" if signature == "g" else "<I", len(value)) + value.encode() + b"\0"
        start = struct.pack("<cBBBIII", b"l", kind, 0, 1, len(body), 1, len(header))
        return start + header + bytes(-len(header) % 8) + body

    def command(self) -> list[str]:
        limits = ("connections_per_user", "completed_connections", "incomplete_connections")
        file = self.directory / "bus.conf"
        file.write_text(
            f'<busconfig><type>session</type><listen>unix:path={self.address}</listen><auth>EXTERNAL</auth>'
            '<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>'
            + "".join(f'<limit name="max_{limit}">20000</limit>' for limit in limits) + "</busconfig>")
        return ["dbus-daemon", "--nofork", f"--config-file={file}"]

    def _call(self, connection: Connection, member: str, argument: str | None = None) -> None:
        bus = "org.freedesktop.DBus"
        fields = [(1, "o", "/org/freedesktop/DBus"), (6, "s", bus), (2, "s", bus), (3, "s", member)]
        body = b""
        if argument is not None:
            fields.append((8, "g", "s"))
            body = struct.pack("<I", len(argument)) + argument.encode() + b"\0"
        connection.sendall(self.message(1, fields, body))
        # The signal NameAcquired, of kind 4, may precede the reply, of kind 2.
        kind = 4
        while kind == 4:
            _, kind, _, _, body_length, _, length = struct.unpack("<cBBBIII", connection.receive(16))
            connection.receive(length + -length % 8 + body_length)
        if kind != 2:
            raise ConnectionError(f"dbus-daemon answered {member} with an error")

    def greet(self, connection: Connection) -> None:
        connection.sendall(b"\0AUTH EXTERNAL " + str(os.geteuid()).encode().hex().encode() + b"\r\n")
        connection.receive_through(b"\r\n")
        connection.sendall(b"BEGIN\r\n")
        self._call(connection, "Hello")

    def subscribe(self, connection: Connection) -> None:
        self.greet(connection)
        self._call(connection, "AddMatch", "type='signal',interface='org.example.Bench'")


DBus.messages = [DBus.message(
    4, [(1, "o", "/org/example"), (2, "s", "org.example.Bench"), (3, "s", "Changed"), (8, "g", "ay")],
    struct.pack("<I", len(Broker.payload)) + Broker.payload)] * 2


class ZeroMQ(Broker):
    """Its own forwarder between an XSUB and an XPUB socket, since the library itself has no broker.

    The clients speak ZMTP 3.0.
    """

    name = "ZeroMQ"
    messages = [bytes([0, len(Broker.payload)]) + Broker.payload] * 2
    publishing = property(lambda self: str(self.directory / "publishers"))

    def command(self) -> list[str]:
        return [sys.executable, str(pathlib.Path(__file__).with_name("forwarder.py")), self.publishing, self.address]

    def greet(self, connection: Connection, kind: bytes = b"PUB") -> None:
        connection.sendall((b"\xff" + bytes(8) + b"\x7f\3\0NULL").ljust(64, b"\0"))
        connection.receive(64)
        ready = b"\5READY\x0bSocket-Type\0\0\0" + bytes([len(kind)]) + kind
        connection.sendall(bytes([4, len(ready)]) + ready)
        connection.receive(connection.receive(2)[1])

    def subscribe(self, connection: Connection) -> None:
        self.greet(connection, b"SUB")
        # A message of one byte subscribes to all messages.
        connection.sendall(b"\0\1\1")


# The first is the baseline; the second is the bus.
ALL = [BareLoop, Reveille, Redis, NATS, Mosquitto, DBus, ZeroMQ]
