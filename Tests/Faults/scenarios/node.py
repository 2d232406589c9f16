"""The Node client: a subscription that sleeps, a tied state, and positions that are stored."""
import pathlib
import shutil

from clients import converse
from world import World

MARK = "the program begins"
# libuv ends the process if epoll_ctl fails.
FATAL = ("epoll_ctl",)
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent


def missing() -> str:
    return "" if shutil.which("node") else "there is no node"


def run(world: World) -> None:
    converse(world, [
        "node", str(ROOT / "Tests/Faults/programs/client.mjs"), str(ROOT / "Sources/Clients/Node/reveille.mjs")])
