"""`reveille-fleet bridge` between a bus and mosquitto, both of which restart; `reveille-fleet watch` reads what arrives."""
import os
import pathlib
import shutil
import socket
import typing

import program
from crowd import Crowd
from reader import Reader, life
from world import World

COUNTS_START = True
# Each attempt to reach the broker has a thread of its own.
ONCE = True
# A bridge tries again after a few seconds.
SECONDS = 60.0
WAITS, COST = True, 2.0
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
UNPACKED = ROOT / ".build-mosquitto"


def broker() -> str:
    """Returns the path of mosquitto, if there is one."""
    unpacked = UNPACKED / "usr/sbin/mosquitto"
    return str(unpacked) if unpacked.exists() else shutil.which("mosquitto") or ""


def missing() -> str:
    return "" if broker() else "there is no mosquitto"


def start_broker(world: World, path: str) -> None:
    """Starts mosquitto, and waits until it accepts connections."""
    configuration = world.directory / "mosquitto.conf"
    configuration.write_text(f"listener 0 {path}\nallow_anonymous true\nuser root\n")
    libraries = ":".join(str(path) for top in ("usr/lib", "lib") for path in (UNPACKED / top).glob("*-linux-gnu"))
    world.start([broker(), "-c", str(configuration)], program.environment(LD_LIBRARY_PATH=libraries), "mosquitto")

    def accepts() -> bool:
        with socket.socket(socket.AF_UNIX) as attempt:
            return attempt.connect_ex(path) == 0
    world.wait("mosquitto", accepts)


class Bridge(Reader):
    """The bridge, whose output is what a reader of the fleet prints."""

    def __init__(self, around: Crowd) -> None:
        world = around.place
        # The path of a socket is short, and free.
        socket_path = str(world.directory / "mqtt")
        configuration = world.directory / "fleet.json5"
        configuration.write_text(f'{{ device: "kiosk", broker: "unix:{socket_path}", aspects: ["org.example.*"] }}')
        super().__init__(around, "bridge", [
            str(world.build / "reveille-fleet"), "bridge", "--config", str(configuration),
            "--state", str(world.directory / "bridge.json")])
        start_broker(world, socket_path)
        environment = around.bus.environment | {"REVEILLE_BROKER": f"unix:{socket_path}"}
        with open(world.directory / "fleet.out", "ab") as output:
            world.start([str(world.build / "reveille-fleet"), "watch", "--initial", "--json"], environment, "fleet", stdout=output)
        world.wait("the reader of the fleet", lambda: (world.directory / "fleet.out").exists())

    @property
    def output(self) -> typing.Any:
        return self.around.place.directory / "fleet.out"

    def check(self, event: dict[str, typing.Any]) -> None:
        """Compares generations, which may be repeated after a reconnection, and never go back."""
        name = event["aspect"]
        if "value" in event:
            super().check(event)
        elif event.get("removed"):
            self.values[name] = "null"


def run(world: World) -> None:
    crowd = Crowd(world)
    life(crowd, Bridge(crowd))
