"""`reveille-dbus` between a player and a subscriber, over a message bus that is late, silent, or gone and back, at each step.

What is published is true, or else nothing is, soon after somebody needs it.
"""
import importlib.util
import pathlib
import shutil
import subprocess
import sys

import history
import program
import relay
import runner
from crowd import Crowd
from reader import Reader
from world import World

WAITS, COST, SECONDS = True, 8.0, 60.0
NAME = "org.mpris.player.test"
# The program waits five seconds for an answer.
PATIENCE = 8.0


def cases(world: World) -> list[runner.Case]:
    """Returns the cases: each message of the message bus in the run without a fault, and each fault."""
    return [runner.Case("dbus", "step", number, fault) for number in range(1, world.steps + 1) for fault in relay.FAULTS]


def missing() -> str:
    if not shutil.which("dbus-daemon"):
        return "there is no dbus-daemon"
    return "" if importlib.util.find_spec("gi") else "there is no PyGObject"


def state(status: str) -> dict[str, object]:
    return {"loop": None, "metadata": None, "shuffle": True, "status": status, "volume": None}


def run(world: World) -> None:
    directory = world.directory
    (directory / "dbus.conf").write_text(
        f'<busconfig><type>session</type><listen>unix:path={directory}/daemon</listen><policy context="default">'
        '<allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>')
    world.start(["dbus-daemon", "--nofork", "--nopidfile", f"--config-file={directory}/dbus.conf"], program.environment(),
                "daemon")
    world.wait("the message bus", (directory / "daemon").exists)
    between = relay.Relay(world, directory / "dbus", directory / "daemon", world.faulty.number, world.faulty.fault)
    here = pathlib.Path(__file__).resolve().parent.parent
    player = world.start([sys.executable, "-B", str(here / "programs" / "player.py"), f"unix:path={directory}/daemon"],
                         program.environment(), "player", stdin=subprocess.PIPE)

    def tell(word: str) -> None:
        assert player.process.stdin
        player.process.stdin.write(word.encode() + b"\n")
        player.process.stdin.flush()

    crowd = Crowd(world)
    crowd.bus.start()
    (directory / "dbus.json5").write_text("{ presets: ['players'] }")
    address = f"unix:path={directory}/dbus"
    satellite = Reader(crowd, "satellite", [
        "env", f"DBUS_SESSION_BUS_ADDRESS={address}", str(world.build / "reveille-dbus"), "--config", str(directory / "dbus.json5")])
    satellite.start()
    reader = crowd.subscribe("reader", ["org.mpris.player.*"])

    def wait(status: str | None) -> None:
        wanted = history.text(state(status) if status else None)
        world.wait(lambda: f"{status}: {reader}", lambda: (reader.value(NAME) or "null") == wanted)

    tell("own")
    wait("Playing")
    tell("Paused")
    wait("Paused")
    crowd.sleep(reader)
    world.wait("the end of the need", lambda: not between.links)
    tell("Stopped")
    crowd.wake(reader)
    # Until it answers, the value may be the old one, but not for long.
    world.within(PATIENCE, "the end of the old value", lambda: reader.value(NAME) != history.text(state("Paused")))
    wait("Stopped")
    tell("leave")
    wait(None)
    tell("Playing")
    tell("own")
    wait("Playing")
    world.steps = between.messages
    satellite.stop()
