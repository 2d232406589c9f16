"""A program under test that prints events as lines of JSON, and is started again when it ends with a reason."""
from __future__ import annotations

import json
import time
import typing

import crowd
import history
import program
import world

# While the bus restarts, a program may fail to reach it a few times.
ATTEMPTS, PAUSE = 10, 0.1


class Reader:
    """The program, and what its lines say. Lines of its next life may repeat what the last one printed as it ended."""

    def __init__(self, around: crowd.Crowd, name: str, arguments: list[str], **options: typing.Any) -> None:
        self.around, self.name, self.arguments, self.options = around, name, arguments, options
        self.running: program.Program | None = None
        self.generations: dict[str, int] = {}
        self.values: dict[str, str] = {}
        self.events: list[dict[str, typing.Any]] = []
        # Where the life began, and what was known then.
        self.offset = 0
        self.known: dict[str, int] = {}
        self.ends: list[str] = []
        # When it is started again.
        self.retry = 0.0
        around.place.tended.append(self.tend)

    @property
    def output(self) -> typing.Any:
        return self.around.place.directory / (self.name + ".out")

    def start(self, is_faulty: bool = False) -> None:
        place, self.retry = self.around.place, 0.0
        self.known = dict(self.generations)
        self.offset = self.output.stat().st_size if self.output.exists() else 0
        with open(self.output, "ab") as output:
            self.running = place.start(
                self.arguments, self.around.bus.environment, self.name, is_faulty, stdout=output, **self.options)

    def tend(self) -> None:
        """Takes the lines that are there, and starts the program again if it has ended with a reason."""
        has_ended = self.running and not self.running.is_running
        self.take(has_ended=bool(has_ended))
        if self.retry and time.monotonic() > self.retry:
            self.start()
        if not self.running or not has_ended:
            return
        flaw = self.running.flaw()
        if flaw and not (flaw[0] == "signal" and self.around.place.faulty.is_fatal):
            raise world.Broken(*flaw)
        self.ends.append(self.running.words)
        if len(self.ends) > ATTEMPTS:
            raise world.Broken("no next start", f"{self.name} ends again and again: {self.ends[-1][-600:]}")
        self.running = None
        self.retry = time.monotonic() + PAUSE

    def stop(self) -> None:
        """Ends it by SIGTERM."""
        ending, self.running, self.retry = self.running, None, 0.0
        if not ending:
            return
        ending.terminate()
        self.around.place.wait(f"{self.name} to end after SIGTERM", lambda: not ending.is_running)
        self.take(has_ended=True)
        flaw = ending.flaw()
        if flaw and not (flaw[0] == "signal" and self.around.place.faulty.is_fatal):
            raise world.Broken(*flaw)
        # What it could not save as it ended, it repeats in its next life.
        if ending.has_failed:
            self.ends.append(ending.words)

    def take(self, has_ended: bool) -> None:
        if not self.output.exists():
            return
        with open(self.output, "rb") as file:
            file.seek(self.offset)
            lines = file.read()
        size = lines.rfind(b"\n") + 1
        self.offset += size
        for line in lines[:size].splitlines():
            try:
                event = json.loads(line)
            except ValueError as error:
                # A life that ended may have left half a line.
                if self.ends:
                    continue
                raise world.Broken("half a line", f"{self.name} printed {line[:200]!r}") from error
            self.events.append(event)
            if "generation" in event:
                self.check(event)

    def check(self, event: dict[str, typing.Any]) -> None:
        """Compares an event with earlier events."""
        name, generation, changes = event["aspect"], event["generation"], event["changes"]
        value = history.text(event.get("value"))
        last, known = self.generations.get(name), self.known.get(name)
        # In a later life, the first event of a name may repeat what the last one printed.
        is_repeated = known is not None and generation - changes <= known and last == known
        # The generation of a name that was never published moves.
        is_new = self.values.get(name) == "null"
        if changes and last is not None and generation - changes != last and not is_repeated and not is_new:
            kind = "lost" if generation - changes > last else "counted twice"
            raise world.Broken(kind, f"{self.name} had generation {last} of {name}, and then got {event}")
        self.known.pop(name, None)
        self.around.bus.history.note(self.name, "", name, generation, value)
        self.generations[name], self.values[name] = generation, value

    def wait(self, name: str, value: typing.Any) -> None:
        """Waits until its last state of a name is a value."""
        self.around.place.wait(
            lambda: f"{name} = {value} in {self.name}, which has {self.values}",
            lambda: self.values.get(name, "null") == history.text(value))


def life(around: crowd.Crowd, reader: Reader) -> None:
    """The days of a reader: changes, a restart of the bus, its own end, and its next life, which continues."""
    around.bus.start()
    around.publish("org.example.a", {"n": 0})
    reader.start(is_faulty=True)
    reader.wait("org.example.a", {"n": 0})
    for n in range(1, 3):
        around.publish("org.example.a", {"n": n})
        around.publish("org.example.b", {"n": n})
        reader.wait("org.example.a", {"n": n})
        reader.wait("org.example.b", {"n": n})
    around.bus.settle()
    around.bus.stop()
    around.bus.start()
    around.publish("org.example.b", {"n": 3})
    reader.wait("org.example.b", {"n": 3})
    reader.stop()
    for n in range(4, 6):
        around.publish("org.example.a", {"n": n})
    reader.start()
    reader.wait("org.example.a", {"n": 5})
    reader.wait("org.example.b", {"n": 3})
    reader.stop()
