"""A login manager on a message bus of its own, and a reader of the machine's sleep, for which it waits."""
from __future__ import annotations

import pathlib
import signal
import subprocess
import sys
import time
import typing

import program
import relay
from crowd import Crowd
from world import Broken

# The bus has 5 s; the rest is for a busy machine.
LOCK_SECONDS = 8.0
# How long the login manager is stopped, which is longer than a first call waits, and how long it is away.
STOP, ABSENCE = 7.0, 1.0
CONFIGURATION = """<busconfig><type>session</type><listen>unix:path={}</listen><policy context="default">
<allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>"""


class Login:
    """The login manager, and the message bus, both of which may have a fault once."""

    def __init__(self, crowd: Crowd, message: int = 0, fault: str = "late-1") -> None:
        self.crowd, self.world = crowd, crowd.place
        directory = self.world.directory
        (directory / "dbus.conf").write_text(CONFIGURATION.format(directory / "daemon"))
        self.environment = program.environment(DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={directory}/daemon")
        crowd.bus.variables |= {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={directory}/dbus"}
        self.world.start(
            ["dbus-daemon", "--nofork", "--nopidfile", f"--config-file={directory}/dbus.conf"], self.environment, "daemon")
        self.world.wait("the message bus", (directory / "daemon").exists)
        self.relay = relay.Relay(self.world, directory / "dbus", directory / "daemon", message, fault)
        self.begun = 0.0
        # When the login manager answers again, and what happens then.
        self.until = 0.0
        self.end: typing.Callable[[], None] | None = None
        self.world.tended.append(self.tend)
        self.start()

    def start(self) -> None:
        here = pathlib.Path(__file__).resolve().parent
        self.manager = self.world.start(
            [sys.executable, "-B", str(here / "programs" / "login1.py")], self.environment, "login1", stdin=subprocess.PIPE)
        self.begun = time.monotonic()

    def tend(self) -> None:
        if self.end and time.monotonic() > self.until:
            end, self.end = self.end, None
            end()

    def command(self, word: str, value: float) -> None:
        assert self.manager.process.stdin
        self.manager.process.stdin.write(f"{word} {value:g}\n".encode())
        self.manager.process.stdin.flush()

    def happen(self, fault: str) -> None:
        """Begins a fault of the login manager."""
        self.world.reached = True
        if fault == "never":
            self.manager.signal(signal.SIGSTOP)
            self.until, self.end = time.monotonic() + STOP, lambda: self.manager.signal(signal.SIGCONT)
        elif fault == "away":
            self.manager.kill()
            self.until, self.end = time.monotonic() + ABSENCE, self.start
        elif fault == "new":
            self.manager.kill()
            self.start()
        elif fault == "reload":
            self.command("delay", 1)
            self.crowd.bus.reload()
        else:
            self.command("delay", relay.FAULTS[fault])

    @property
    def locks(self) -> int:
        """The locks that are held, as the login manager says."""
        lines = self.manager.words.split("\n")[:-1] if self.manager.is_running else []
        return int(lines[-1]) if lines and lines[-1].isdigit() else 0

    @property
    def life(self) -> tuple[int, list[relay.Link]]:
        """What a lock belongs to: a login manager, and a connection."""
        return self.manager.pid, list(self.relay.links)

    @property
    def source(self) -> str:
        described = self.crowd.control.call("DescribeAspects")["aspects"]
        return str(next(one["source"] for one in described if one["aspect"] == "sleep"))

    def wait_for_lock(self, after: str) -> None:
        """Waits until the sleep of the machine is delayed, for as long as this may take while the login manager answers."""
        begin = time.monotonic()

        def is_there() -> bool:
            if time.monotonic() > max(begin, self.begun, self.until, self.relay.until) + LOCK_SECONDS:
                raise Broken("no lock", f"nothing delays the sleep of the machine after {after}: {self.source}")
            # The lock of a call that was given up may be there for a moment.
            return self.locks == 1 and "with a delay lock" in self.source
        self.world.wait("a lock", is_there)
