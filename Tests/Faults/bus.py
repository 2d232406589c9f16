"""A real bus, started again whenever it ends with a reason."""
from __future__ import annotations

import pathlib
import signal
import socket
import time

import history
import program
import world


class Bus:
    """`reveille serve` with its own files. One of its lives has the fault."""

    def __init__(self, place: world.World, configuration: str = "{}") -> None:
        self.place = place
        self.history = history.History()
        self.home = place.directory / "home"
        (self.home / ".config").mkdir(parents=True)
        (place.directory / "root").mkdir()
        (place.directory / "reveille").mkdir(mode=0o755)
        self.configuration = place.directory / "reveille.json5"
        self.configuration.write_text(configuration)
        self.path = str(place.directory / "reveille" / "org.reveille.Bus")
        self.state = pathlib.Path(self.path + ".state.json")
        self.schedule = place.directory / "state" / "schedule"
        self.variables: dict[str, str] = {}
        self.running: program.Program | None = None
        # The ends of lives that were not asked for, each with its reason.
        self.ends: list[str] = []
        place.tended.append(self.tend)

    @property
    def environment(self) -> dict[str, str]:
        return program.environment(
            HOME=str(self.home), XDG_RUNTIME_DIR=str(self.place.directory), STATE_DIRECTORY=str(self.schedule.parent),
            REVEILLE_ADDRESS="unix:" + self.path) | self.variables

    def start(self, is_faulty: bool = False) -> None:
        """Starts a life, and waits until it accepts connections; if it cannot start, another life follows."""
        self.running = self.place.start(
            [str(self.place.build / "reveille"), "serve", "--config", str(self.configuration),
             "--root", str(self.place.directory / "root")],
            self.environment, "bus", is_faulty)
        faults = {"faulty": True} if is_faulty and self.place.faulty.mode == "inject" else {}
        self.place.record.note("bus", event="start", pid=self.running.pid, **faults)
        self.place.wait("the bus to accept connections", lambda: self.accepts)

    @property
    def has_lost_state(self) -> bool:
        """Whether a life has said that it could not save its state."""
        return "a restart will begin a new instance" in (self.place.directory / "bus.log").read_text(errors="replace")

    @property
    def accepts(self) -> bool:
        """Whether its socket accepts; a connection that is closed at once leaves no trace but its end."""
        with socket.socket(socket.AF_UNIX) as attempt:
            try:
                attempt.connect(self.path)
            except OSError:
                return False
        return True

    def tend(self) -> None:
        """Starts a bus again that has ended with a reason, as a supervisor does."""
        if not self.running or self.running.is_running:
            return
        flaw = self.running.flaw()
        if flaw and not (flaw[0] == "signal" and self.place.faulty.is_fatal):
            raise world.Broken(*flaw)
        self.place.record.note("bus", event="exit", pid=self.running.pid, code=self.running.process.returncode)
        self.ends.append(self.running.words)
        if len(self.ends) > 3:
            raise world.Broken("no next start", f"the bus ends again and again: {self.ends[-1][-600:]}")
        self.start()

    def kill(self) -> None:
        """Ends a life by SIGKILL."""
        if self.running:
            self.place.record.note("bus", event="kill", pid=self.running.pid)
            self.running.kill()
            self.place.record.note("bus", event="exit", pid=self.running.pid, code=-signal.SIGKILL)
            self.running = None

    def stop(self) -> None:
        """Ends a life by SIGTERM, which sends what is pending."""
        ending, self.running = self.running, None
        if ending:
            self.place.record.note("bus", event="term", pid=ending.pid)
            ending.terminate()
            self.place.wait("the bus to end after SIGTERM", lambda: not ending.is_running)
            self.place.record.note("bus", event="exit", pid=ending.pid, code=ending.process.returncode)
            flaw = ending.flaw()
            if flaw and not (flaw[0] == "signal" and self.place.faulty.is_fatal):
                raise world.Broken(*flaw)
            self.place.drain()

    def reload(self) -> None:
        if self.running:
            self.running.signal(signal.SIGHUP)

    def settle(self) -> None:
        """Waits until the state is saved; a bus that cannot save it has said so."""
        end = time.monotonic() + 1
        self.place.wait("the state to be saved", lambda: self.state.exists() or time.monotonic() > end)
