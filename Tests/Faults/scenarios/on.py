"""`reveille on --state`: one run for each time that the condition becomes true, over a restart of the bus, and its own."""
import collections
import json

from crowd import Crowd
from reader import Reader
from world import Broken, World

COUNTS_START = True
# libdispatch runs Swift's tasks, and ends the process if this call fails. The program has checked it at the start.
FATAL = ("eventfd2",)
# The commands are started by others, and have no fault.
DETACHES = True


def run(world: World) -> None:
    crowd = Crowd(world)
    runs = world.directory / "runs"
    # The signal that ends the program must not end a command that has written its line: it would run again.
    on = Reader(crowd, "on", [
        str(world.build / "reveille"), "on", "--state", str(world.directory / "condition"), "org.example.a", "on == true",
        "--", "/bin/sh", "-c", f"trap '' TERM; cat >>'{runs}'"])

    def numbers() -> list[int]:
        lines = runs.read_text().splitlines() if runs.exists() else []
        return [json.loads(line)["value"]["n"] for line in lines]

    def becomes_true(n: int) -> None:
        crowd.publish("org.example.a", {"n": n, "on": False})
        crowd.publish("org.example.a", {"n": n, "on": True})
    crowd.bus.start()
    crowd.publish("org.example.a", {"n": 1, "on": True})
    on.start(is_faulty=True)
    world.wait(lambda: f"run 1 of {numbers()}", lambda: 1 in numbers())
    becomes_true(2)
    becomes_true(3)
    world.wait(lambda: f"run 3 of {numbers()}", lambda: {2, 3} <= set(numbers()) or bool(on.ends) and 3 in numbers())
    crowd.bus.settle()
    crowd.bus.stop()
    crowd.bus.start()
    becomes_true(4)
    world.wait(lambda: f"run 4 of {numbers()}", lambda: 4 in numbers())
    on.stop()
    becomes_true(5)
    on.start()
    world.wait(lambda: f"run 5 of {numbers()}", lambda: 5 in numbers())
    becomes_true(6)
    world.wait(lambda: f"run 6 of {numbers()}", lambda: 6 in numbers())
    on.stop()
    counts = collections.Counter(numbers())
    # What ran when it ended may run again, once for each end.
    if sum(counts.values()) > len(counts) + len(on.ends):
        raise Broken("counted twice", f"the runs {numbers()}, with {len(on.ends)} ends")
