"""Random programs on a bus that is stopped and killed at random, until everything is quiet."""
import os
import random
import signal
import subprocess
import sys
import time
from typing import Any, IO, Callable

import history
import words
from bus import Bus
from history import Recorder
from wire import Client
from words import BUS, SCHEDULE

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "program.py")
# A subscriber that is still held or pending after this many seconds of quiet is a violation, which the record shows.
PATIENCE = 30


class Programs:
    """Processes of random clients."""

    def __init__(self, recorder: Recorder, socket: str, chance: random.Random, count: int, steps: int) -> None:
        self.recorder = recorder
        self.socket = socket
        self.chance = chance
        self.steps = steps
        self.running = [self._start() for _ in range(count)]
        self.stopped: list[subprocess.Popen[str]] = []

    def _start(self) -> subprocess.Popen[str]:
        arguments = [sys.executable, PROGRAM, self.recorder.path, self.socket]
        arguments += [str(self.chance.randrange(1 << 32)), str(self.steps)]
        return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def stop_one(self) -> None:
        program = self.chance.choice(self.running)
        if program not in self.stopped:
            program.send_signal(signal.SIGSTOP)
            self.recorder.note("process", event="stop", pid=program.pid)
            self.stopped.append(program)

    def continue_one(self) -> None:
        if self.stopped:
            program = self.stopped.pop(self.chance.randrange(len(self.stopped)))
            self.recorder.note("process", event="continue", pid=program.pid)
            program.send_signal(signal.SIGCONT)

    def kill_one(self) -> None:
        index = self.chance.randrange(len(self.running))
        program = self.running[index]
        if program in self.stopped:
            self.stopped.remove(program)
        self.recorder.note("process", event="kill", pid=program.pid)
        program.kill()
        program.wait()
        self._forget(program)
        self.running[index] = self._start()

    def order(self, word: str) -> None:
        """Gives an order to all programs, and waits until all have carried it out."""
        while self.stopped:
            self.continue_one()
        for program in self.running:
            _pipe(program.stdin).write(word + "\n")
            _pipe(program.stdin).flush()
        for program in self.running:
            if word != "end" and _pipe(program.stdout).readline() != "done\n":
                raise RuntimeError(f"a program of random clients ended with {program.wait()}")

    def end(self) -> None:
        # Their connections end in any order, and some of them before others have received the last events.
        for program in self.running:
            self.recorder.note("process", event="end", pid=program.pid)
        self.order("end")
        for program in self.running:
            program.wait()
            self._forget(program)

    def kill(self) -> None:
        for program in self.running:
            if program.poll() is None:
                program.kill()

    def _forget(self, program: subprocess.Popen[str]) -> None:
        self.recorder.note("process", event="end", pid=program.pid)
        _pipe(program.stdin).close()
        _pipe(program.stdout).close()


def _pipe(file: IO[str] | None) -> IO[str]:
    assert file is not None
    return file


def run(recorder: Recorder, program: str, directory: str, seed: int, seconds: float, steps: int, programs: int) -> None:
    """Runs one random life and records it. It ends after `seconds`, or once all programs took their steps."""
    chance = random.Random(seed)
    recorder.note("scope", own=[words.OWN], quiet=True, seed=seed, wall=history.wall())
    bus = Bus(recorder, program, directory)
    clients = Programs(recorder, bus.address, chance, programs, steps)
    # In some lives the bus never ends, in some it hardly lives.
    restarts = chance.choice([0, 1, 1, 4])
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            time.sleep(chance.uniform(0.01, 0.1))
            actions: list[tuple[Callable[[], None], float]] = [
                (lambda: None, 30), (clients.stop_one, 2), (clients.continue_one, 4), (clients.kill_one, 0.5),
                (lambda: restart(bus, signal.SIGTERM), restarts), (lambda: restart(bus, signal.SIGKILL), restarts),
            ]
            chance.choices([action for action, _ in actions], [weight for _, weight in actions])[0]()
        finish(recorder, bus.address, clients)
        bus.end(signal.SIGTERM)
    finally:
        clients.kill()
        if bus.process.poll() is None:
            bus.process.kill()


def finish(recorder: Recorder, socket: str, clients: Programs) -> None:
    """Lets the clients act once more without disturbances, until all is quiet."""
    clients.order("act")
    publish_last(recorder, socket)
    # Twice: the first order reads first replies, with the identifiers that the second needs.
    clients.order("quiet")
    clients.order("quiet")
    settle(recorder, socket, clients)
    clients.end()


def restart(bus: Bus, number: signal.Signals) -> None:
    bus.end(number)
    bus.start()


def publish_last(recorder: Recorder, socket: str) -> None:
    """Changes a name that nobody else publishes, and leaves another to the end of its connection."""
    client = Client(recorder, socket)
    client.call(BUS + "GetState", {"aspects": [words.PLAIN]})
    for number in range(4):
        client.call(BUS + "Publish", {"aspect": words.PLAIN, "value": {"n": number}})
    client.call(BUS + "Publish", {"aspect": words.TIED, "value": {}, "whileConnected": True})
    client.close()


def settle(recorder: Recorder, socket: str, clients: Programs) -> None:
    """Ends all holds, waits until everything is delivered, and records the last states."""
    client = Client(recorder, socket, "q")
    deadline = time.monotonic() + PATIENCE
    silent = _silent(history.load(recorder.path))
    while time.monotonic() < deadline:
        entries = _ask(client, SCHEDULE + "List").get("entries", [])
        subscriptions = [
            entry for entry in _ask(client, BUS + "ListSubscriptions").get("subscriptions", [])
            if (entry.get("name") or "").startswith(words.NAME)]
        for subscription in subscriptions:
            if "operator" in subscription["held"]:
                client.call(
                    BUS + "SetState", {"subscription": subscription["subscription"], "state": "foreground"})
        if not entries and all(_is_settled(subscription, silent) for subscription in subscriptions):
            break
        time.sleep(0.02)
    clients.order("drain")
    recorder.note("quiet")
    firings = sorted({
        record["parameters"]["entry"]["aspect"] for record in history.load(recorder.path)
        if record["kind"] == "call" and record["method"] == SCHEDULE + "Add" and "aspect" in record["parameters"]["entry"]
    })
    names = sorted(set(words.NAMES + [words.PLAIN, words.TIED] + list(words.POSTED) + firings) - {"battery"}) + ["battery"]
    for start in range(0, len(names), 64):
        client.call(BUS + "GetState", {"aspects": names[start:start + 64]})
    _ask(client, BUS + "ListSubscriptions")
    client.close()


def _ask(client: Client, method: str) -> dict[str, Any]:
    reply = client.call(method)
    return reply["parameters"] if reply is not None else {}


def _is_settled(subscription: dict[str, Any], silent: dict[str, list[str]]) -> bool:
    patterns = silent.get(subscription["subscription"], [])
    return set(subscription["held"]) <= {"unread"} and all(
        any(words.matches(pattern, pending["aspect"]) for pattern in patterns) for pending in subscription["pending"])


def _silent(records: list[history.Record]) -> dict[str, list[str]]:
    """Returns the aspects and patterns of each subscription that may stay pending, because of `netChangeOnly`."""
    policies: dict[tuple[str, int], list[str]] = {}
    result: dict[str, list[str]] = {}
    for record in records:
        if record["kind"] == "call" and record["method"] == BUS + "Subscribe":
            policies[record["client"], record["call"]] = [
                policy["aspect"] for policy in record["parameters"].get("policies", []) if policy.get("netChangeOnly")]
        elif record["kind"] == "reply" and record.get("parameters", {}).get("subscription"):
            result[record["parameters"]["subscription"]] = policies.get((record["client"], record["call"]), [])
    return result
