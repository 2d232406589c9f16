"""The record of a run: one JSON object a line, written by all processes of the run into one file.

Each record has `kind` and `at`, microseconds of CLOCK_MONOTONIC, which is one clock for all processes:

    scope    own: names and patterns that only recorded clients publish; quiet: whether the run ends with `quiet`;
             wall: the time of day less this clock
    bus      event: start, term (SIGTERM was sent), kill (SIGKILL was sent), exit (with code); pid; with start, faulty:
             whether its system calls fail, so that it may close connections and end
    process  event: stop, continue, kill, end; pid of a program of clients
    open     client, pid and uid of the program that connected, bus: pid of the bus that listens
    call     client, call (its number), method, parameters; more, oneway, upgrade where they are true
    raw      client: bytes that are not a call were sent, after which nothing is promised to this connection
    reply    client, call, parameters; error, continues; since: when the read began that returned its end
    close    client, by: client, or bus
    quiet    everything is over: no program calls or disturbs anything from here on, all subscribers have read what came

`at` of a call is before its first byte is sent, and `at` of a reply is after its last byte was read. So what a call did
happened between the two, and a checker never has to guess an order that the record does not prove.

A harness of its own records like this:

    recorder = Recorder("run.jsonl")                       # appends; any number of processes may share the file
    recorder.note("scope", own=["org.example.faults.*"])
    recorder.note("bus", event="start", pid=bus.pid)
    client = Client(recorder, socket)                      # wire.py: connects, and records all it sends and receives
    client.call("org.reveille.Bus.Publish", {"aspect": "org.example.faults.a", "value": {"n": 1}})
    client.send("org.reveille.Bus.Subscribe", {"aspects": ["org.example.faults.*"], "initial": True}, more=True)
    reply = client.receive(timeout=5)                      # None after the timeout; client.is_open is False at the end
    recorder.note("bus", event="kill", pid=bus.pid)

and checks with `check RUN.jsonl`, or in Python with `checker.violations(history.load("run.jsonl"))`.
"""
import json
import lzma
import os
import time
from typing import Any, Iterator

Record = dict[str, Any]


def now() -> int:
    """Returns the time of CLOCK_MONOTONIC in microseconds."""
    return time.monotonic_ns() // 1_000


def wall() -> int:
    """Returns the time of day less the time of the record."""
    return time.time_ns() // 1_000 - now()


class Recorder:
    """Appends records to a file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)

    def note(self, kind: str, at: int | None = None, **fields: Any) -> int:
        """Writes a record and returns its time. A single write, so that lines of several processes do not mix."""
        moment = now() if at is None else at
        line = json.dumps({"kind": kind, "at": moment, **fields}, separators=(",", ":")) + "\n"
        os.write(self._file, line.encode("utf-8", "surrogatepass"))
        return moment

    def close(self) -> None:
        os.close(self._file)


def load(path: str) -> list[Record]:
    """Reads a history, also a compressed one. A last line that a killed process left incomplete is omitted."""
    return list(_records(path))


def _records(path: str) -> Iterator[Record]:
    opened = lzma.open if path.endswith(".xz") else open
    with opened(path, "rt", encoding="utf-8", errors="surrogatepass") as lines:
        for line in lines:
            if line.endswith("\n"):
                yield json.loads(line)
