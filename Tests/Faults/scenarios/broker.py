"""`reveille-fleet set` and the bridge, whose broker answers late or never, or goes and comes at each of their packets.

The oracle is the promise of Docs/Satellites/Fleet.md: `set` ends, with 0 only if the bus of the device has the value. The bus has the
newest value at last, and as many changes as sets, of which one that failed counts once or not at all.
"""
import json
import typing

import program
import runner
from crowd import Crowd
from broker_relay import Relay
from scenarios import bridge
from world import Broken, World

# A program notices after 30 seconds that a broker does not answer, and a bridge after 60.
SECONDS = 240.0
WAITS, COST = True, 8.0
NAME = "org.example.mode"
LATE = ("late-0.5", "late-1", "late-3")
# Of a set that fails, the next attempts.
ATTEMPTS = 12


def missing() -> str:
    return bridge.missing()


def cases(world: World) -> list[runner.Case]:
    """Returns the cases: each packet of a set, and of a bridge that takes two values, in the run without a fault."""
    counts: dict[str, int] = json.loads((world.directory / "steps").read_text())
    return [runner.Case("broker", whose, 0, fault, "each answer") for whose in counts for fault in LATE] + [
        runner.Case("broker", whose, step, fault, f"packet {step} of {count}")
        for whose, count in counts.items() for step in range(1, count + 1) for fault in ("before", "after", "never")]


class Fleet:
    """A bus with its bridge, and what was set."""

    def __init__(self, world: World) -> None:
        self.world, self.crowd = world, Crowd(world)
        self.crowd.bus.start()
        path = str(world.directory / "mqtt")
        bridge.start_broker(world, path)
        self.relays = {whose: Relay(world, world.directory / whose, path) for whose in ("set", "bridge")}
        configuration = world.directory / "fleet.json5"
        configuration.write_text(
            f'{{ device: "kiosk", broker: "unix:{world.directory}/bridge", aspects: ["battery"], desired: ["org.example.*"] }}')
        self.bridge = world.start(
            [str(world.build / "reveille-fleet"), "bridge", "--config", str(configuration), "--state",
             str(world.directory / "bridge.json")], self.crowd.bus.environment, "bridge")
        # Sets that ended with 0, and with another exit code.
        self.taken, self.failed = 0, 0

    def state(self) -> tuple[typing.Any, int]:
        """Returns the value and the generation of the name on the bus."""
        event = self.crowd.control.call("GetState", aspects=[NAME])["events"][0]
        return event.get("value"), event["generation"]

    def start_set(self, n: int) -> program.Program:
        return self.world.start(
            [str(self.world.build / "reveille-fleet"), "set", "kiosk", NAME, f'{{"n": {n}}}'],
            self.crowd.bus.environment | {"REVEILLE_BROKER": f"unix:{self.world.directory}/set"}, f"set-{n}-{self.failed}")

    def end_set(self, running: program.Program) -> bool:
        self.world.wait("the end of a set", lambda: not running.is_running)
        code = running.process.returncode
        if code == 0:
            self.taken += 1
            return True
        if code not in (1, 69, 75, 77) or not running.reasons:
            raise Broken("answer", f"set ended with {code}: {running.words}")
        self.failed += 1
        self.heal()
        return False

    def heal(self) -> None:
        for relay in self.relays.values():
            relay.heal()

    def set(self, n: int) -> None:
        """Sets a value again until the device has taken it."""
        for _ in range(ATTEMPTS):
            self.world.wait("the broker to be back", lambda: all(relay.listener for relay in self.relays.values()))
            if self.end_set(self.start_set(n)):
                if self.state()[0] != {"n": n}:
                    raise Broken("untrue answer", f"set said that {n} is taken, and the bus has {self.state()}")
                return
        raise Broken("no set", f"{ATTEMPTS} sets failed: {self.world.programs[-1].words}")


def run(world: World) -> None:
    fleet = Fleet(world)
    fleet.set(0)
    before, failures = fleet.state()[1], fleet.failed
    fleet.taken = 0
    fault = world.faulty.fault if world.faulty.mode == "inject" else ""
    for whose, relay in fleet.relays.items():
        relay.arm(fault if whose == world.faulty.syscall else "", world.faulty.number)
    fleet.set(1)
    both = [fleet.start_set(2), fleet.start_set(3)]
    for running in both:
        fleet.end_set(running)
    (world.directory / "steps").write_text(json.dumps({whose: relay.steps for whose, relay in fleet.relays.items()}))
    fleet.heal()
    fleet.set(4)
    world.wait(lambda: f"4 on the bus, which has {fleet.state()}", lambda: fleet.state()[0] == {"n": 4})
    if not fleet.bridge.is_running:
        raise Broken("bridge", f"the bridge ended: {fleet.bridge.words[-600:]}")
    changes, failed = fleet.state()[1] - before, fleet.failed - failures
    if not fleet.taken <= changes <= fleet.taken + failed:
        raise Broken("count", f"{fleet.taken} sets, and {failed} that failed, are {changes} changes")
