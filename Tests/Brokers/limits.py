"""The memory of an idle bus and of a subscription, and the instructions of a delivery and a wake, with their limits."""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import comparison
from broker import MOST_SUBSCRIBERS, Clients
from brokers import DBus, Mosquitto, Redis, Reveille

# The most that an idle bus may use. Half of the dirty memory is the program's own data, which the loader relocates: it grows
# with each command of the program. Each folder of a program in ~/.config takes 11 kB.
MOST_RESIDENT, MOST_DIRTY, MOST_WAKEUPS = 10 * 1_024, 1_700, 0
# The most minutes to measure. If another program changes a setting or a network link of this machine meanwhile, the
# subscribers must be notified, and the next minute is measured.
MINUTES = 3
# The seconds that a broker has to finish its start, or to notice that clients have left.
REST = 5
# The number of clients that use the bus and leave.
CLIENTS = 1_000
# Aspects that are not read from a device.
WITHOUT_DEVICE = {"locale", "defaults", "network"}

# Aspects that the login manager is asked for.
OF_LOGIN_MANAGER = {"sleep", "switches"}

# The ratio of the posts or wakes of two runs, whose difference excludes the start and the end.
FACTOR = 4
# The growth that is a failure.
TOLERANCE = 1.1
# The number of counts; the smallest one is the result. The bus saves its state and checks cgroups at intervals,
# which adds to the count on a slow or busy machine.
ATTEMPTS = 5


class FalseMessageBus:
    """A socket in place of the system's message bus, which shows whether programs connect to it."""

    def __init__(self) -> None:
        self._directory = tempfile.TemporaryDirectory()
        path = self._directory.name + "/bus"
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(path)
        self._socket.listen()
        os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={path}"

    def was_called(self, seconds: float = 0) -> bool:
        self._socket.settimeout(seconds)
        try:
            self._socket.accept()[0].close()
        except (BlockingIOError, TimeoutError):
            return False
        return True


def measure_memory() -> None:
    message_bus = FalseMessageBus()
    running = [pair[0] for kind in (Reveille, Mosquitto, DBus, Redis) if (pair := comparison.start(kind))]
    bus = running[0]
    # The subscribers get nothing, but a bus without any would have no reason to wake up.
    subscribers = [bus.connection() for _ in range(2)]
    aspects = tuple(
        entry["aspect"] for entry in bus.ask(subscribers[0], bus.call("DescribeAspects"))["aspects"]
        if (not entry["available"] or entry["aspect"] in WITHOUT_DEVICE) and entry["aspect"] not in OF_LOGIN_MANAGER)
    for subscriber, state in zip(subscribers, ("background", "foreground")):
        bus.subscribe(subscriber, aspects, state)
    time.sleep(REST)
    for _ in range(MINUTES):
        before = [broker.wakeups() for broker in running]
        time.sleep(60)
        idle = [(broker.resident(), broker.dirty(), broker.wakeups() - number)
                for broker, number in zip(running, before)]
        if idle[0][2] == 0:
            break
    clients = Clients(bus, CLIENTS)
    clients.publish(1)
    clients.close()
    time.sleep(REST)
    megabytes = lambda kilobytes: f"{kilobytes / 1_024:.1f} MB"
    comparison.table(
        ["idle", "resident", "private and dirty", "wake-ups in a minute"],
        *([broker.name, megabytes(resident), megabytes(dirty), wakeups]
          for broker, (resident, dirty, wakeups) in zip(running, idle)),
        [f"Reveille, after {CLIENTS} subscribers", megabytes(bus.resident()), megabytes(bus.dirty()), ""], right=True)
    if message_bus.was_called():
        sys.exit("bench: a bus whose subscribers do not follow the sleep of the machine has connected to D-Bus")
    follower = bus.connection()
    bus.subscribe(follower, ("sleep",))
    if not message_bus.was_called(REST):
        sys.exit("bench: a bus whose subscriber follows the sleep of the machine has not connected to D-Bus")
    print("\nwithout followers of the machine's sleep, no connection to D-Bus")
    for broker in running:
        broker.stop()
    print(f"\na subscription with its connection: {connection_memory()} bytes of memory")
    for name, value, limit in zip(
            ("resident memory in kB", "private and dirty memory in kB", "number of wake-ups"), idle[0],
            (MOST_RESIDENT, MOST_DIRTY, MOST_WAKEUPS)):
        if value > limit:
            sys.exit(f"bench: of an idle bus, the {name} is {value:.0f}, above {limit}")


def connection_memory() -> int:
    """The bytes of memory that each subscriber takes in the process of the bus."""
    bus, subscribers, memory = Reveille(), [], []
    # The first ones fill memory that the start has left.
    for count in (MOST_SUBSCRIBERS // 5, MOST_SUBSCRIBERS):
        subscribers += [bus.subscriber() for _ in range(count - len(subscribers))]
        memory.append(bus.dirty())
    bus.stop()
    return (memory[1] - memory[0]) * 1_024 // (MOST_SUBSCRIBERS - MOST_SUBSCRIBERS // 5)


def deliver(bus: Reveille, subscribers: int, posts: int) -> int:
    """Posts to subscribers, and returns the number of deliveries."""
    Clients(bus, subscribers).publish(posts)
    return subscribers * posts


def wake(bus: Reveille, sleepers: int, wakes: int) -> int:
    """Wakes one of the sleepers of this process again and again."""
    connections = [bus.connection() for _ in range(sleepers)]
    names = [bus.subscribe(connection, state="background") for connection in connections]
    control = bus.connection()
    for _ in range(wakes):
        for state in ("foreground", "background"):
            bus.ask(control, bus.call("SetState", subscription=names[0], state=state))
    return wakes


# What is counted, the number of subscribers, and the posts or wakes of the shorter of two runs.
CASES = [
    ("a post with one delivery", deliver, 1, 300), ("each of 100 deliveries", deliver, 100, 20),
    ("a wake among 500 of a process, and back", wake, 500, 100),
]


def instructions(work: Callable[[Reveille, int, int], int], subscribers: int, times: int) -> tuple[int, int]:
    """The instructions of a bus from its start to its end, in user space, counted by callgrind, and what was done."""
    with tempfile.TemporaryFile() as report:
        bus = Reveille(
            under=("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"), stderr=report)
        done = work(bus, subscribers, times)
        bus.stop()
        report.seek(0)
        text = report.read().decode(errors="replace")
    counts = re.findall(r"Collected : (\d+)", text)
    if not counts:
        sys.exit(f"bench: callgrind reported no count:\n{text}")
    return int(counts[-1]), done


def measure_instructions(record: pathlib.Path, is_recording: bool) -> None:
    """Compares the counts with recorded ones, or records them, one line for each case."""
    limits = [0] * len(CASES) if is_recording else [int(int(line) * TOLERANCE) for line in record.read_text().split()]
    counts = []
    with tempfile.TemporaryDirectory() as directory:
        # Debian's valgrind cannot read the compiler's debugging information (DWARF 5).
        program = directory + "/reveille"
        subprocess.run(["strip", "--strip-debug", "-o", program, shutil.which(Reveille.program)], check=True)
        Reveille.program = program
        for (name, work, subscribers, times), limit in zip(CASES, limits, strict=True):
            least = None
            for _ in range(ATTEMPTS):
                long, short = (instructions(work, subscribers, times * factor) for factor in (FACTOR, 1))
                count = (long[0] - short[0]) // (long[1] - short[1])
                least = count if least is None else min(least, count)
                if least <= limit:
                    break
            counts.append(least)
            print(f"{name}: {least} instructions")
    if is_recording:
        record.write_text("".join(f"{count}\n" for count in counts))
    for count, limit in zip(counts, limits):
        if not is_recording and count > limit:
            sys.exit(f"bench: {count} instructions are more than 10% above the number in {record}")
