"""A browser's page of `reveille-view`: a request, and a stream of Server-Sent Events that it resumes."""
from __future__ import annotations

import json
import re
import socket
import time
import typing

import crowd
import history
import reader
import world

URL = re.compile(r"http://[^/]*:(\d+)/\?token=(\w+)")
PAUSE = 0.02


class View(reader.Reader):
    """The program, which prints the address of its page."""

    port, token = 0, ""

    def take(self, has_ended: bool) -> None:
        found = URL.findall(self.output.read_text()) if self.output.exists() else []
        if found:
            self.port, self.token = int(found[-1][0]), found[-1][1]

    def request(self, path: str, header: str = "") -> socket.socket:
        """Sends a request, whose response ends with its connection."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=5)
        connection.sendall(
            f"GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{self.port}\r\nCookie: reveille-view-{self.port}={self.token}\r\n"
            f"{header}\r\n".encode())
        return connection

    def get(self, path: str) -> typing.Any:
        """Returns the JSON of a response; it asks again as long as a response does not arrive."""
        result: list[typing.Any] = []

        def attempt() -> bool:
            try:
                with self.request(path) as connection:
                    response = b""
                    while part := connection.recv(1 << 16):
                        response += part
                head, _, body = response.partition(b"\r\n\r\n")
                if b" 200 " in head:
                    result.append(json.loads(body))
            except (OSError, ValueError):
                time.sleep(PAUSE)
            return bool(result)
        self.around.place.wait(f"a response to {path}", attempt)
        return result[0]


class Page:
    """An open page."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.positions = history.Positions("page", view.around.bus.history)
        self.positions.patterns = ("",)
        self.last = ""
        self.connection: socket.socket | None = None
        self.bytes = b""
        self.is_open = True
        self.retry = 0.0
        view.around.place.tended.append(self.tend)

    def tend(self) -> None:
        if self.connection or not self.view.port or not self.is_open or time.monotonic() < self.retry:
            return
        self.retry = time.monotonic() + PAUSE
        try:
            self.connection = self.view.request("/events", f"Last-Event-ID: {self.last}\r\n" if self.last else "")
        except OSError:
            return
        self.bytes = b""
        self.view.around.place.sockets.append(self)

    def fileno(self) -> int:
        return self.connection.fileno() if self.connection else -1

    def serve(self) -> None:
        assert self.connection
        try:
            part = self.connection.recv(1 << 16)
        except OSError:
            part = b""
        if not part:
            return self.close()
        self.bytes += part.replace(b"\r\n", b"\n")
        *blocks, self.bytes = self.bytes.split(b"\n\n")
        for block in blocks:
            fields = dict(line.split(": ", 1) for line in block.decode().splitlines() if ": " in line)
            if fields.get("event") in ("start", "events"):
                self.take(json.loads(fields["data"]), fields["event"] == "start")
            # The position counts once its event was taken.
            self.last = fields.get("id", self.last)

    def take(self, reply: dict[str, typing.Any], is_first: bool) -> None:
        if is_first and not reply.get("resumed"):
            self.positions.begin(reply["instance"])
        for event in reply["events"]:
            self.positions.take(event, is_first)

    def close(self) -> None:
        if self.connection:
            self.view.around.place.sockets.remove(self)
            self.connection.close()
            self.connection = None

    def wait(self, name: str, value: typing.Any) -> None:
        self.view.around.place.wait(
            lambda: f"{name} = {value} on the page, which has {self.positions.values.get(name)}",
            lambda: self.positions.values.get(name, "null") == history.text(value))
