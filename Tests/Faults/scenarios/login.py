"""A machine that sleeps: its login manager answers late or is stopped, goes and comes, at each step of it, as does its
message bus at each message.

An awake reader of `sleep` is waited for: there is a lock soon after the login manager answers, and while the reader has not
read the announcement.
"""
import importlib.util
import shutil
import time
import typing

import logind
import relay
import runner
from crowd import Crowd
from world import Broken, World

WAITS, COST, SECONDS = True, 10.0, 90.0
STEPS = ("needed", "locked", "announced", "read", "closed", "awake")
FAULTS = ("late-0.5", "late-1", "late-3", "never", "away", "new", "reload")
# How long the reader does not read the announcement, and the machine waits.
DEAF = 1.5
# The login manager would wait for 5 s, and may be stopped before.
LIMIT = 15.0


def cases(world: World) -> list[runner.Case]:
    """Returns the cases: each step with each fault of the login manager, and each message with each fault of its bus."""
    return [runner.Case("login", step, 0, fault) for step in STEPS for fault in FAULTS] + [
        runner.Case("login", "message", number, fault) for number in range(1, world.steps + 1) for fault in relay.FAULTS]


def missing() -> str:
    if not shutil.which("dbus-daemon"):
        return "there is no dbus-daemon"
    return "" if importlib.util.find_spec("dbus") and importlib.util.find_spec("gi") else "python3-dbus is missing"


def run(world: World) -> None:
    faulty = world.faulty
    crowd = Crowd(world)
    around = logind.Login(crowd, faulty.number, faulty.fault) if faulty.syscall == "message" else logind.Login(crowd)
    world.wait("the login manager", lambda: bool(around.manager.words))
    crowd.bus.start()

    def step(name: str) -> None:
        if faulty.syscall == name:
            around.happen(faulty.fault)

    step("needed")
    reader = crowd.subscribe("reader", ["sleep"])
    if (faulty.syscall, faulty.fault) == ("needed", "never"):
        world.wait("a description of what is so", lambda: "does not answer" in around.source, pause=0.25)
    around.wait_for_lock("the first subscription")
    step("locked")
    sleep(around, step)
    # As it is by now.
    sleep(around, lambda _: None)
    crowd.sleep(reader)
    world.wait("the end of the lock", lambda: around.locks == 0)
    world.steps = around.relay.messages


def sleep(around: logind.Login, step: typing.Callable[[str], None]) -> None:
    """Lets the machine prepare and wake, with a reader that is slow to read."""
    world, reader = around.world, around.crowd.subscribers[0]

    def wait(state: str) -> None:
        world.wait(lambda: f"{state}: {reader}", lambda: reader.is_connected and f'"{state}"' in (reader.value("sleep") or ""))

    around.wait_for_lock("the beginning")
    life, connection = around.life, reader.connection
    assert connection
    world.sockets.remove(connection)
    around.command("announce", 1)
    step("announced")
    end = time.monotonic() + DEAF
    world.wait("a reader that reads", lambda: time.monotonic() > end)
    world.sockets.append(connection)
    if around.life == life and around.locks == 0:
        raise Broken("not waited", f"the machine may sleep before the reader has read: {around.source}")
    if around.manager.pid == life[0]:
        wait("preparing")
        step("read")
    if around.manager.pid == life[0]:
        world.within(LIMIT, "a machine that may sleep", lambda: around.locks == 0)
        step("closed")
    world.wait("a login manager", lambda: around.manager.is_running and bool(around.manager.words))
    around.command("announce", 0)
    step("awake")
    wait("awake")
    around.wait_for_lock("a sleep")
