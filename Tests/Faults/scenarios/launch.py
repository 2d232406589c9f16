"""A program that the bus starts for a firing; the bus does so 5 s after its own start."""
import pathlib
import sys
import time

from crowd import Crowd
from publisher import Refused
from world import Broken, World

# The bus starts other programs, which have no fault.
DETACHES = True
# A start that fails is repeated after a minute, and one whose outcome the next bus does not know after a minute and a half.
SECONDS = 150.0
WAITS, COST = True, 6.0
PAUSE = 0.1


def traces(world: World) -> list[str]:
    path = world.directory / "traces"
    return path.read_text().splitlines() if path.exists() else []


def run(world: World) -> None:
    crowd = Crowd(world)
    crowd.bus.start(is_faulty=True)
    start = time.time()
    crowd.publish("org.example.a", {"n": 1})
    here = pathlib.Path(__file__).resolve().parent.parent
    command = [sys.executable, "-B", str(here / "programs" / "launched.py"), str(world.directory / "traces"), "org.example.alarm"]
    at = int((start + 5.1) * 1e6)
    entry = {"id": "alarm", "aspect": "org.example.alarm", "value": {"n": 1}, "at": at, "launch": command}
    for _ in range(3):
        try:
            crowd.control.call("org.reveille.Schedule.Add", entry=entry)
            break
        except Refused:
            # The fault; the next attempt succeeds.
            continue
    else:
        # Each wait for the disk is a thread of its own, and strace injects the fault into each of them.
        if crowd.control.call("org.reveille.Schedule.List")["entries"]:
            raise Broken("schedule", "the entry that was refused is there")
        crowd.bus.stop()
        return
    crowd.bus.settle()
    world.wait(lambda: f"the firing in the program: {traces(world)}", lambda: "received 1" in traces(world), PAUSE)
    crowd.bus.stop()
    crowd.bus.start()
    if crowd.bus.schedule.exists():
        # The end of the launch was not saved. The next bus could start the program once more.
        end = time.time() + 6
        world.wait("another start", lambda: time.time() > end, PAUSE)
    if traces(world).count("received 1") != 1:
        raise Broken("counted twice", f"the program notes {traces(world)}")
