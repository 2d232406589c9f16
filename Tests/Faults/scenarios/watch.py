"""`reveille watch --state`, over a restart of the bus, and its own next life."""
from crowd import Crowd
from reader import Reader, life
from world import World

COUNTS_START = True
# libdispatch runs Swift's tasks, and ends the process if this call fails. The program has checked it at the start.
FATAL = ("eventfd2",)


def run(world: World) -> None:
    crowd = Crowd(world)
    state = str(world.directory / "watched")
    life(crowd, Reader(crowd, "watch", [
        str(world.build / "reveille"), "watch", "--json", "--initial", "--state", state, "org.example.a", "org.example.b"]))
