"""A program in a cgroup of its own that is suspended, woken, and suspended while the bus ends."""
import json
import os
import pathlib
import sys
import tempfile

import history
import program
import publisher
from crowd import Crowd
from world import Broken, World

# The system has 15 s to answer, and a subscriber 5 s to read.
SECONDS = 45.0


def mount() -> pathlib.Path | None:
    """Returns the directory of the version 2 cgroups."""
    for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
        if line.split()[2] == "cgroup2":
            return pathlib.Path(line.split()[1])
    return None


def missing() -> str:
    """Returns why the scenario cannot run here."""
    top = mount()
    return "" if top and os.access(top, os.W_OK) else "no cgroup can be made"


class Patient:
    """The program."""

    def __init__(self, world: World, path: str) -> None:
        self.world = world
        top = mount()
        assert top
        self.cgroup = pathlib.Path(tempfile.mkdtemp(prefix="faults-", dir=top))
        world.cleanups.append(self.end)
        here = pathlib.Path(__file__).resolve().parent.parent
        self.process = world.start(
            [sys.executable, "-B", str(here / "programs" / "patient.py"), path, "org.example.a,lifecycle", str(world.directory)],
            program.environment(), "patient")
        (self.cgroup / "cgroup.procs").write_text(str(self.process.pid))

    def end(self) -> None:
        self.process.process.wait()
        self.cgroup.rmdir()

    @property
    def last(self) -> dict[str, object]:
        lines = [line for line in self.process.words.splitlines(keepends=True) if line.endswith("\n")]
        last = json.loads(lines[-1]) if lines else {"subscription": "", "values": {}}
        if "broken" in last:
            raise Broken(*last["broken"])
        return dict(last)

    def has(self, value: object) -> bool:
        values = self.last["values"]
        assert isinstance(values, dict)
        return values.get("org.example.a") == history.text(value)

    def set_state(self, crowd: Crowd, state: str) -> bool:
        """Asks for a state; returns whether it has it, or cannot be suspended, for a reason."""
        while True:
            self.world.wait("the subscription of the program", lambda: bool(self.last["subscription"]))
            try:
                crowd.control.call("SetState", subscription=self.last["subscription"], state=state)
                return True
            except publisher.Refused as refusal:
                if refusal.error == "org.reveille.Bus.CannotSuspend":
                    return False
                if refusal.error != "org.reveille.Bus.NoSuchSubscription":
                    raise
                self.world.turn(0.01)


def run(world: World) -> None:
    crowd = Crowd(world)
    crowd.bus.start(is_faulty=True)
    crowd.publish("org.example.a", {"n": 1})
    patient = Patient(world, crowd.bus.path)
    world.wait(lambda: f"the first state: {patient.last}", lambda: patient.has({"n": 1}))
    patient.set_state(crowd, "suspended")
    crowd.publish("org.example.a", {"n": 2})
    patient.set_state(crowd, "foreground")
    world.wait(lambda: f"the state after the wake: {patient.last}", lambda: patient.has({"n": 2}))
    patient.set_state(crowd, "suspended")
    crowd.publish("org.example.a", {"n": 3})
    crowd.bus.settle()
    crowd.bus.stop()
    crowd.bus.start()
    world.wait(lambda: f"the state after the end of the bus: {patient.last}", lambda: patient.has({"n": 3}))
    patient.set_state(crowd, "suspended")
    crowd.publish("org.example.a", {"n": 4})
    crowd.bus.settle()
    crowd.bus.kill()
    crowd.bus.start()
    world.wait(lambda: f"the state after a kill: {patient.last}", lambda: patient.has({"n": 4}))
