"""The bus in the home directory of a desktop, with the settings of many programs: Scripts/bench home and noise."""
from __future__ import annotations

import json
import multiprocessing
import os
import pathlib
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time
from typing import Callable

import comparison
from broker import Connection
from brokers import Reveille

DCONF = pathlib.Path(__file__).resolve().parent.parent.parent / ".build-dconf"
# A desktop has about as many programs with a folder in ~/.config; each has two files of settings.
FOLDERS, FILES = 100, 2
# The keys of each file and of dconf: for the memory, and of a desktop with 10,000 keys.
OF_MEMORY, OF_DESKTOP = (1, 3_000), (20, 6_000)
# The keys of a directory of dconf.
DIRECTORY = 30
# The size of the settings up to which they are saved whole; the rest of the saved state is numbers.
MOST_SAVED = (128 + 4) << 10
# The most private memory in kB that the folders and keys may add to an idle bus.
MOST_ADDED = 1_024
# The most wake-ups in a minute of a noisy home, in the long run.
MOST_WAKEUPS = 2
# Samples of each time, and calls of others, in the time between them.
SAMPLES, CALLS, PAUSE = 20, 2_000, 0.001
# Seconds that a bus has to finish its start, or the work of a change.
REST = 5
# The minutes of noise: the first ones, and the first two pauses of the folders, of 8 and 16 minutes.
MINUTES = max(5, int(os.environ.get("REVEILLE_MINUTES", 30)))
# The files that programs write all the time directly in their folders, and the seconds between two writes. The last one has a
# setting that changes each time.
NOISE = {"browser/Cookies-journal": 1, "editor/state.vscdb": 3, "chat/log.txt": 10, "chat/window.json": 5}


class Home(Reveille):
    """A user's bus with the shipped paths of settings, and without another root directory."""

    def __init__(self, keys_of_file: int = 0, keys_of_dconf: int = 0, folders: int = FOLDERS) -> None:
        self._keys_of_file, self._keys_of_dconf, self._folders = keys_of_file, keys_of_dconf, folders
        super().__init__()

    @property
    def settings(self) -> pathlib.Path:
        return self.directory / ".config"

    def command(self) -> list[str]:
        if not self.settings.exists():
            self.settings.mkdir()
            self.write(0)
        os.environ["HOME"] = str(self.directory)
        os.environ.pop("XDG_CONFIG_HOME", None)
        return super().command()[:-2]

    def write(self, value: int) -> None:
        """Gives each key another value, like a program that writes its file anew."""
        for folder in range(self._folders if self._keys_of_file else 0):
            for file in range(FILES):
                keys = {f"a.setting.of.some.program.{key}": value for key in range(self._keys_of_file)}
                self.replace(f"program{folder}/settings{file or ''}.json", json.dumps(keys).encode())
        if self._keys_of_dconf:
            self.write_dconf(value)

    def write_dconf(self, value: int) -> None:
        sources = self.directory / "dconf.d"
        sources.mkdir(exist_ok=True)
        with open(sources / "all", "w") as file:
            for key in range(self._keys_of_dconf):
                if key % DIRECTORY == 0:
                    file.write(f"[org/gnome/desktop/schema{key // DIRECTORY}]\n")
                file.write(f"a-key-of-some-program-{key}={value}\n")
        subprocess.run(
            [DCONF / "usr/bin/dconf", "compile", self.directory / "compiled", sources], check=True,
            env=os.environ | {"LD_LIBRARY_PATH": ":".join(map(str, DCONF.glob("usr/lib/*-linux-gnu")))})
        self.replace("dconf/user", (self.directory / "compiled").read_bytes())

    def replace(self, name: str, contents: bytes) -> None:
        path = self.settings / name
        path.parent.mkdir(exist_ok=True)
        (self.directory / "new").write_bytes(contents)
        os.rename(self.directory / "new", path)

    def state(self, connection: Connection) -> dict:
        return self.ask(connection, self.call("GetState", aspects=["defaults"]))["events"][0]

    def ask(self, connection: Connection, call: bytes) -> dict:
        connection.sendall(call)
        return self.reply(connection)[0]

    @staticmethod
    def reply(connection: Connection) -> tuple[dict, int]:
        """The next reply, and its length: settings are long."""
        data = bytearray()
        while not data.endswith(b"\0"):
            data += connection.recv(1 << 20) or sys.exit("bench: the bus ended a connection")
        reply = json.loads(data[:-1])
        if "error" in reply:
            raise ConnectionError(reply)
        return reply["parameters"], len(data)

    def saved(self) -> int:
        """The bytes of the saved state."""
        return max(path.stat().st_size for path in self.directory.glob("*state*"))


def measure_home() -> None:
    added = _added_memory()
    bus = Home(*OF_DESKTOP)
    rows, saved = _sizes(bus)
    quiet, busy = _latency(bus, is_busy=False), _latency(bus, is_busy=True)
    bus.stop()
    comparison.table(["a home with 10,000 keys", "time", "bytes", "changes", "domains with keys"], *rows, right=True)
    print(f"\nthe saved state: {saved} bytes")
    print(f"another aspect's GetState, 99%: {quiet}")
    print(f"the same while all settings are read and change: {busy}")
    print(f"private and dirty memory for {FOLDERS} folders and {OF_MEMORY[1]} keys: {added} kB")
    if saved > MOST_SAVED:
        sys.exit(f"bench: the saved state has more than {MOST_SAVED} bytes")
    if added > MOST_ADDED:
        sys.exit(f"bench: the settings take more than {MOST_ADDED} kB")


def _added_memory() -> int:
    buses = [Home(folders=0), Home(*OF_MEMORY)]
    for bus in buses:
        bus.subscribe(bus.connection(), ("defaults",))
    time.sleep(REST)
    empty, full = (bus.dirty() for bus in buses)
    for bus in buses:
        bus.stop()
    return full - empty


def _timed(action: Callable[[], tuple[dict, int]]) -> tuple[float, dict, int]:
    """The median time in microseconds, and the last reply."""
    times = []
    for _ in range(SAMPLES):
        start = time.perf_counter()
        reply, size = action()
        times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times), reply, size


def _row(name: str, microseconds: float, reply: dict, size: int) -> list[object]:
    event = reply["events"][0] if reply["events"] else None
    domains = event["defaults"]["domains"] if event else []
    known = sum(not domain["opaque"] for domain in domains)
    changes = event["changes"] if event else ""
    return [name, f"{microseconds / 1000:.1f} ms", size, changes, f"{known} of {len(domains)}"]


def _sizes(bus: Home) -> tuple[list[list[object]], int]:
    control = bus.connection()
    rows = []

    def asked() -> tuple[dict, int]:
        control.sendall(bus.call("GetState", aspects=["defaults"]))
        return bus.reply(control)

    def first(**parameters: object) -> tuple[dict, int]:
        connection = bus.connection()
        connection.sendall(bus.call("Subscribe", "more", aspects=["defaults"], **parameters))
        reply = bus.reply(connection)
        connection.close()
        return reply

    rows.append(_row("GetState", *_timed(asked)))
    rows.append(_row("the first reply of Subscribe", *_timed(lambda: first(initial=True))))
    rows.append(_row(
        "the same, for one directory of dconf", *_timed(lambda: first(
            initial=True, domains=["dconf:/org/gnome/desktop/schema7/"]))))

    # A long sleep, in which every key has changed.
    sleeper = bus.connection()
    begun = bus.ask(sleeper, bus.call("Subscribe", "more", aspects=["defaults"], state="background", initial=True))
    before = begun["events"][0]["generation"]
    bus.write(1)
    _settle(bus, control)
    start = time.perf_counter()
    control.sendall(bus.call("SetState", "oneway", subscription=begun["subscription"], state="foreground"))
    woken, size = bus.reply(sleeper)
    rows.append(_row("a wake, after each key has changed", (time.perf_counter() - start) * 1e6, woken, size))
    sleeper.close()

    # A restart, with one more change meanwhile.
    time.sleep(1)
    saved = bus.saved()
    bus.stop()
    bus.replace("program7/settings.json", b'{"a.setting.of.some.program.0": 2}')
    bus.start()
    control = bus.connection()
    event = woken["events"][0]
    for name, generation in (("a restart, after one file has changed", event["generation"]),
                             ("the same, for a subscriber that has slept", before)):
        rows.append(_row(name, *_timed(lambda: first(
            instance=begun["instance"], resume=[{"aspect": "defaults", "generation": generation}]))))
    return rows, saved


def _settle(bus: Home, control: Connection) -> None:
    """Waits until the settings have not changed for some seconds."""
    generation, since = None, time.monotonic()
    while time.monotonic() - since < REST:
        time.sleep(0.1)
        if (now := bus.state(control)["generation"]) != generation:
            generation, since = now, time.monotonic()


def _latency(bus: Home, is_busy: bool) -> str:
    """How long another's calls wait, and how long the bus works meanwhile, beside programs that read and change all settings.

    The wait includes what other programs of this machine take.
    """
    control = bus.connection()
    bus.ask(control, bus.call("Post", proximity={"state": "near"}))
    call = bus.call("GetState", aspects=["proximity"])
    loads = [multiprocessing.Process(target=load, args=(bus,), daemon=True) for load in (_read, _change)] * is_busy
    for load in loads:
        load.start()
    times, work = [], []
    for _ in range(CALLS):
        time.sleep(PAUSE)
        start, worked = time.perf_counter(), bus.processor_time()
        bus.ask(control, call)
        times.append((time.perf_counter() - start) * 1e3)
        work.append((bus.processor_time() - worked) / 1e3)
    for load in loads:
        load.terminate()
        load.join()
    waited, worked = (statistics.quantiles(values, n=100)[98] for values in (times, work))
    return f"{waited:.1f} ms, in which the bus works for {worked:.1f} ms"


def _read(bus: Home) -> None:
    # What is measured is the bus, not the processors that these programs take.
    os.nice(19)
    connection = bus.connection()
    while True:
        bus.state(connection)


def _change(bus: Home) -> None:
    os.nice(19)
    subscriber = bus.connection()
    bus.ask(subscriber, bus.call("Subscribe", "more", aspects=["defaults"]))
    value = 10
    while True:
        value += 1
        bus.write(value)
        bus.reply(subscriber)


def measure_noise() -> None:
    """Counts the wake-ups of buses in homes whose programs write all the time."""
    names = ["quiet, with subscribers", "noisy, without", "noisy, in the background", "noisy, in the foreground"]
    buses = [Home(*OF_MEMORY) for _ in names]
    kept = []
    for bus, states in zip(buses, (("background", "foreground"), (), ("background",), ("foreground",))):
        for state in states:
            kept.append(bus.connection())
            bus.subscribe(kept[-1], ("defaults",), state)
            if state == "foreground":
                threading.Thread(target=_drain, args=(kept[-1],), daemon=True).start()
    time.sleep(REST)
    end = threading.Event()
    programs = [
        threading.Thread(target=_make_noise, args=(bus, name, pause, end), daemon=True)
        for bus in buses[1:] for name, pause in NOISE.items()]
    for program in programs:
        program.start()
    minutes: list[list[int]] = []
    counts = [bus.wakeups() for bus in buses]
    times = [bus.processor_time() for bus in buses]
    for _ in range(MINUTES):
        time.sleep(60)
        now = [bus.wakeups() for bus in buses]
        minutes.append([after - before for after, before in zip(now, counts)])
        counts = now
        print(minutes[-1], file=sys.stderr, flush=True)
    end.set()
    for program in programs:
        program.join()
    # The first pauses of all folders have begun after four minutes.
    later = minutes[4:]
    rows = []
    for index, (name, bus) in enumerate(zip(names, buses)):
        of_bus = [minute[index] for minute in minutes]
        per_minute = sum(minute[index] for minute in later) / max(1, len(later))
        used = (bus.processor_time() - times[index]) / 1000 / MINUTES
        rows.append([name, *of_bus[:2], f"{per_minute:.1f}", f"{used:.1f} ms"])
        bus.stop()
    comparison.table(
        ["a home", "wake-ups in the first minute", "in the second", f"in each from the fifth to the {MINUTES}th",
         "processor time of a minute"], *rows, right=True)
    # Other programs of this machine can wake all of them, for instance by a mount.
    if any(float(row[3]) - float(rows[0][3]) > MOST_WAKEUPS for row in rows):
        sys.exit(f"bench: a noisy home wakes the bus more than {MOST_WAKEUPS} times a minute")


def _drain(connection: Connection) -> None:
    # For as long as the bus lives, however quiet it is.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, 0))
    while connection.recv(1 << 20):
        pass


def _make_noise(bus: Home, name: str, pause: float, end: threading.Event) -> None:
    (bus.settings / name).parent.mkdir(exist_ok=True)
    count = 0
    while not end.wait(pause):
        count += 1
        (bus.settings / name).write_text(json.dumps({"written": count}))
