"""The programs of a walk: traced by gdb or not, each with a directory of its own; and a client."""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import tempfile
import time
import typing

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# A function that is called is called within a second; gdb reads the program for several on a busy machine.
SECONDS = 60.0

Object = dict[str, typing.Any]
# The names of functions, by the files and lines where they begin.
Functions = dict[str, str]


class Missed(Exception):
    """Something did not occur in time."""


def wait(what: str, until: typing.Callable[[], bool], seconds: float = SECONDS) -> None:
    end = time.monotonic() + seconds
    while not until():
        if time.monotonic() > end:
            raise Missed(f"waited in vain for {what}")
        time.sleep(0.01)


class Program:
    """A run of `reveille`; gdb traces its calls of functions, if there are any."""

    path: pathlib.Path

    def __init__(self, arguments: list[str], functions: Functions, output: pathlib.Path | None = None,
                 **variables: str) -> None:
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="walk-"))
        self.trace = self.directory / "trace"
        self.is_traced = bool(functions)
        environment = {name: value for name, value in os.environ.items() if name != "REVEILLE_ADDRESS"} | variables
        output = output or self.directory / "output"
        command = [str(self.path), *arguments]
        if self.is_traced:
            # gdb itself sees this machine's devices.
            preload = environment.pop("LD_PRELOAD", None)
            environment |= {
                "WALKS_ARGUMENTS": shlex.join(arguments) + f" > {shlex.quote(str(output))} 2>&1",
                "WALKS_VARIABLES": json.dumps({"LD_PRELOAD": preload} if preload else {}),
                "WALKS_FUNCTIONS": json.dumps(functions), "WALKS_TRACE": str(self.trace),
            }
            command = ["gdb", "--nx", "--batch", "-x", str(HERE / "tracer.py"), str(self.path)]
        with open(self.directory / "log", "ab") as log:
            self.process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def calls(self) -> list[str]:
        """The functions that it has called, each as often as it was called."""
        return self.trace.read_text().split("\n")[:-1] if self.trace.exists() else []

    def rests(self) -> bool:
        """Returns whether all threads of the traced program sleep, so none is in the middle of a call."""
        try:
            children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
            states = [stat.read_text().rpartition(")")[2].split()[0]
                      for child in children for stat in pathlib.Path(f"/proc/{child}/task").glob("*/stat")]
        except OSError:
            # A thread has ended meanwhile.
            return False
        return bool(states) and all(state == "S" for state in states)

    def check(self) -> None:
        if self.process.poll() is not None:
            raise Missed(f"the program has ended: {(self.directory / 'log').read_text(errors='replace')[-800:]}")

    def __enter__(self) -> typing.Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Ends the program: it does not outlive gdb."""
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.directory)


class Bus(Program):
    """`reveille serve` on the phone of this process."""

    def __init__(self, functions: Functions) -> None:
        self.state = tempfile.mkdtemp(prefix="walk-")
        self.address = f"unix:{self.state}/bus"
        super().__init__(["serve", "--address", self.address], functions, STATE_DIRECTORY=self.state)

    def connect(self) -> Client:
        # The socket's file is there before it accepts connections.
        clients: list[Client] = []
        wait("the bus", lambda: self.accepts(clients))
        return clients[0]

    def accepts(self, clients: list[Client]) -> bool:
        self.check()
        with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
            clients.append(Client(self.address))
        return bool(clients)

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        shutil.rmtree(self.state)


class Client:
    """A connection to a bus."""

    def __init__(self, address: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(SECONDS)
        self.socket.connect(address.removeprefix("unix:"))
        self.received = b""

    def send(self, method: str, more: bool = False, **parameters: typing.Any) -> None:
        call = {"method": "org.reveille." + method, "parameters": parameters} | ({"more": True} if more else {})
        self.socket.sendall(json.dumps(call).encode() + b"\0")

    def receive(self) -> Object:
        while b"\0" not in self.received:
            try:
                part = self.socket.recv(1 << 16)
            except TimeoutError as error:
                raise Missed("waited in vain for a reply") from error
            if not part:
                raise Missed("the bus has closed a connection")
            self.received += part
        frame, _, self.received = self.received.partition(b"\0")
        reply: Object = json.loads(frame)
        if "error" in reply:
            raise Missed(f"a call failed: {reply}")
        return typing.cast(Object, reply.get("parameters", {}))

    def call(self, method: str, more: bool = False, **parameters: typing.Any) -> Object:
        self.send(method, more, **parameters)
        return self.receive()

    def next(self, aspect: str) -> Object:
        """Returns the next event of an aspect."""
        while True:
            for event in self.receive()["events"]:
                if event["aspect"] == aspect:
                    return typing.cast(Object, event)
