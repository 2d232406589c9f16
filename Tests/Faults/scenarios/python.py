"""The Python client: a subscription that sleeps, a tied state, and positions that are stored."""
import pathlib

from clients import converse
from world import World

MARK = "the program begins"
# Python ends a thread that has no memory for its first call, says so on stderr, and tells nobody in the program.
IMPOSSIBLE = {("mmap", "ENOMEM")}
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent


def run(world: World) -> None:
    converse(world, ["/usr/bin/python3", "-B", str(ROOT / "Tests/Faults/programs/client.py"), str(ROOT / "Sources/Clients/Python")])
