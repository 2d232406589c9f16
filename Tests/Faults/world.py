"""One run of a scenario: its directory, its processes, its connections, and the time that it has."""
from __future__ import annotations

import pathlib
import select
import shutil
import tempfile
import time
import typing

import program
import record

# A bus closes a silent connection after 8 s, and satellites try again after a few seconds.
SECONDS = 20.0


class Broken(Exception):
    """A broken promise. `kind` is one of a few words; findings are counted by it."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class Socket(typing.Protocol):
    """What `World.wait` serves."""

    def fileno(self) -> int: ...

    def serve(self) -> None: ...


class World:
    """The surroundings of a run. Everything that it started ends with it."""

    def __init__(self, faulty: program.Injection, build: pathlib.Path = pathlib.Path(), seconds: float = SECONDS,
                 directory: pathlib.Path | None = None) -> None:
        self.build = build
        self.faulty = faulty
        self.directory = directory or pathlib.Path(tempfile.mkdtemp(prefix="faults-"))
        self.record = record.Record(self.directory)
        self.deadline = time.monotonic() + seconds
        self.programs: list[program.Program] = []
        # Called in each turn: what restarts programs, and connects.
        self.tended: list[typing.Callable[[], None]] = []
        self.sockets: list[Socket] = []
        self.cleanups: list[typing.Callable[[], None]] = []
        # The steps of a scenario that has faults of its own.
        self.steps = 0
        # Whether a fault that the scenario makes itself was reached.
        self.reached = False

    def start(self, arguments: list[str], environment: dict[str, str], name: str, is_faulty: bool = False,
              **options: typing.Any) -> program.Program:
        """Starts a program, with the fault if `is_faulty`. Its output goes to a file of its name."""
        injection = self.faulty if is_faulty else program.NONE
        started = program.Program(
            injection.wrap(arguments, self.directory), injection.environment(environment, self.directory),
            self.directory / (name + ".log"), **options)
        self.programs.append(started)
        if injection.once and injection.mode == "inject" and not injection.uses_shim:
            self.tended.append(lambda: injection.end(started.pid, self.directory))
        return started

    def wait(self, what: str | typing.Callable[[], str], until: typing.Callable[[], bool], pause: float = 0.005) -> None:
        """Serves all sockets until a condition holds. Without input, the condition is checked again after a pause."""
        while True:
            for tend in self.tended:
                tend()
            if until():
                return
            if time.monotonic() > self.deadline:
                raise Broken("hang", "waited in vain for " + (what if isinstance(what, str) else what()))
            self.turn(pause)

    def within(self, seconds: float, what: str, until: typing.Callable[[], bool]) -> None:
        """Waits as `wait` does, for at most this time."""
        deadline, self.deadline = self.deadline, min(self.deadline, time.monotonic() + seconds)
        self.wait(what, until)
        self.deadline = deadline

    def turn(self, seconds: float) -> bool:
        """Serves the sockets that are readable now or soon, and returns whether there were any."""
        open_sockets = [socket for socket in self.sockets if socket.fileno() >= 0]
        if not open_sockets:
            time.sleep(seconds)
            return False
        ready, _, _ = select.select(open_sockets, [], [], seconds)
        for socket in ready:
            if socket.fileno() >= 0:
                socket.serve()
        return bool(ready)

    def drain(self) -> None:
        """Serves the sockets while they have something to read."""
        while self.turn(0):
            pass

    def close(self, keep: bool = False) -> None:
        """Ends all programs, and removes the directory unless it is of interest."""
        for started in self.programs:
            started.kill()
        while self.cleanups:
            self.cleanups.pop()()
        if not keep:
            shutil.rmtree(self.directory, ignore_errors=True)
