"""The record of a run, which Tests/SecondOpinion checks: one JSON object a line, in the form of its history.py."""
from __future__ import annotations

import itertools
import json
import os
import pathlib
import subprocess
import time
import typing

CHECK = pathlib.Path(__file__).resolve().parent.parent / "SecondOpinion" / "check"


def now() -> int:
    """Returns the time of CLOCK_MONOTONIC in microseconds."""
    return time.monotonic_ns() // 1_000


class Record:
    """The calls and replies of a run, and the lives of its bus."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.path = directory / "record.jsonl"
        self.file = open(self.path, "a", encoding="utf-8", buffering=1)
        self.numbers = itertools.count(1)
        self.note("scope", own=[], wall=time.time_ns() // 1_000 - now())

    def note(self, kind: str, **fields: typing.Any) -> None:
        self.file.write(json.dumps({"kind": kind, "at": now(), **fields}) + "\n")

    def client(self, bus: int) -> Client:
        """Notes a connection."""
        name = f"{os.getpid()}.{next(self.numbers)}"
        self.note("open", client=name, pid=os.getpid(), uid=os.geteuid(), bus=bus)
        return Client(self, name)

    def violations(self) -> str:
        """Returns what the other checker finds, if it is there."""
        if not CHECK.exists():
            return ""
        result = subprocess.run([CHECK, self.path], capture_output=True, text=True)
        return "" if result.returncode == 0 else (result.stdout + result.stderr)[-2000:]


class Client:
    """The calls and replies of a connection."""

    def __init__(self, record: Record, name: str) -> None:
        self.record, self.name = record, name
        self.calls = 0
        self.waiting: list[int] = []

    def call(self, method: str, parameters: dict[str, typing.Any], more: bool) -> None:
        """Notes a call that is about to be sent."""
        self.calls += 1
        self.waiting.append(self.calls)
        flags = {"more": True} if more else {}
        self.record.note("call", client=self.name, call=self.calls, method=method, parameters=parameters, **flags)

    def reply(self, message: dict[str, typing.Any], since: int) -> None:
        """Notes a reply that has been read."""
        number = self.waiting[0] if self.waiting else None
        if self.waiting and not message.get("continues"):
            self.waiting.pop(0)
        flags = {name: message[name] for name in ("error", "continues") if name in message}
        self.record.note(
            "reply", client=self.name, call=number, since=since, parameters=message.get("parameters") or {}, **flags)

    def close(self, by: str) -> None:
        self.record.note("close", client=self.name, by=by)
