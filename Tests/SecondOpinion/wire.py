"""A connection to a bus that records everything sent and received."""
import itertools
import json
import os
import select
import socket
import struct
from typing import Any

from history import Recorder, now

_numbers = itertools.count(1)


class Client:
    """One connection. Its methods never raise because of the bus: a connection that has ended has `is_open` False."""

    def __init__(self, recorder: Recorder, path: str, label: str = "") -> None:
        """Connects. Raises OSError if no bus accepts."""
        self.recorder = recorder
        self.name = f"{os.getpid()}.{next(_numbers)}{label}"
        self.is_open = True
        self._received = bytearray()
        self._calls = 0
        # Calls that expect replies, oldest first: their numbers.
        self._waiting: list[int] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(path)
        except OSError:
            self._socket.close()
            raise
        peer = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        self.bus = struct.unpack("3i", peer)[0]
        recorder.note("open", client=self.name, pid=os.getpid(), uid=os.geteuid(), bus=self.bus)

    def fileno(self) -> int:
        return self._socket.fileno()

    @property
    def is_waiting(self) -> bool:
        """Whether a call has not had its last reply."""
        return bool(self._waiting)

    def send(
        self, method: str, parameters: dict[str, Any] | None = None, more: bool = False, oneway: bool = False,
        upgrade: bool = False, text: str | None = None,
    ) -> int:
        """Sends a call and returns its number. `text` replaces the JSON of the parameters."""
        self._calls += 1
        if text is not None:
            parameters = json.loads(text)
        flags = {name: True for name, value in (("more", more), ("oneway", oneway), ("upgrade", upgrade)) if value}
        self.recorder.note(
            "call", client=self.name, call=self._calls, method=method, parameters=parameters or {}, **flags)
        if not oneway:
            self._waiting.append(self._calls)
        body = text if text is not None else json.dumps(parameters) if parameters is not None else None
        frame = json.dumps({"method": method, **flags})
        if body is not None:
            frame = f'{frame[:-1]},"parameters":{body}}}'
        self._write(frame.encode("utf-8", "surrogatepass") + b"\0")
        return self._calls

    def send_raw(self, data: bytes) -> None:
        """Sends bytes that are not a call."""
        self.recorder.note("raw", client=self.name, bytes=len(data))
        self._write(data)

    def receive(self, timeout: float | None = 10) -> dict[str, Any] | None:
        """Returns the next reply, or None after the timeout or at the end of the connection."""
        deadline = None if timeout is None else now() + timeout * 1e6
        while self.is_open:
            reply = self._next_reply()
            if reply is not None:
                return reply
            wait = None if deadline is None else max(0, (deadline - now()) / 1e6)
            if not select.select([self._socket], [], [], wait)[0]:
                return None
            self._since = now()
            try:
                data = self._socket.recv(1 << 18)
            except OSError:
                data = b""
            if not data:
                self._end("bus")
            self._received += data
        return None

    def call(
        self, method: str, parameters: dict[str, Any] | None = None, timeout: float | None = 10, text: str | None = None,
    ) -> dict[str, Any] | None:
        """Calls and returns the reply of this call; None if none came."""
        number = self.send(method, parameters, text=text)
        while (reply := self.receive(timeout)) is not None:
            if reply["call"] == number:
                return reply
        return None

    def close(self) -> None:
        if self.is_open:
            self._end("client")

    def _next_reply(self) -> dict[str, Any] | None:
        end = self._received.find(0)
        if end < 0:
            return None
        text = bytes(self._received[:end])
        del self._received[:end + 1]
        number = self._waiting[0] if self._waiting else None
        record: dict[str, Any] = {"client": self.name, "call": number, "since": self._since}
        try:
            reply = json.loads(text)
            record |= {name: reply[name] for name in ("error", "continues") if name in reply}
            record["parameters"] = reply.get("parameters") or {}
        except (ValueError, AttributeError):
            record["broken"] = text.decode("latin-1")
        if self._waiting and not record.get("continues"):
            self._waiting.pop(0)
        self.recorder.note("reply", **record)
        return record

    def _write(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError:
            # The end of the connection is recorded when it is read, after the replies that came before it.
            pass

    def _end(self, by: str) -> None:
        self.is_open = False
        if by == "client":
            self.recorder.note("close", client=self.name, by=by)
        self._socket.close()
        if by == "bus":
            self.recorder.note("close", client=self.name, by=by)
