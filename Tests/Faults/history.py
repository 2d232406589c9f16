"""What the bus has said, to find two values of one generation, changes counted twice, and changes that were lost."""
from __future__ import annotations

import json
import typing

import world


def text(value: typing.Any) -> str:
    """Returns a value in a form that is the same for equal values."""
    return json.dumps(value, sort_keys=True)


class History:
    """All events of a run, of all subscribers."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str, int], tuple[str, str]] = {}

    def note(self, reader: str, instance: str, name: str, generation: int, value: str) -> None:
        """Notes the value of a generation."""
        key = (instance, name, generation)
        other, first = self.values.setdefault(key, (value, reader))
        if other != value:
            raise world.Broken(
                "two values", f"generation {generation} of {name} is {other} for {first}, and {value} for {reader}")


class Positions:
    """What one subscriber has seen of each aspect, and whether the counts of its events fit."""

    def __init__(self, reader: str, history: History) -> None:
        self.reader = reader
        self.history = history
        self.instance = ""
        self.generations: dict[str, int] = {}
        self.values: dict[str, str] = {}
        # Names that only a pattern matches: they are forgotten when they are withdrawn.
        self.patterns: tuple[str, ...] = ()

    def begin(self, instance: str) -> None:
        """Begins again, in another instance."""
        self.instance = instance
        self.generations = {}

    def take(self, event: dict[str, typing.Any], is_first: bool) -> None:
        """Checks and takes an event."""
        name, generation, changes = event["aspect"], event["generation"], event["changes"]
        value = text(event.get(name, event.get("value")))
        last = self.generations.get(name)
        if changes == 0 and not is_first:
            raise world.Broken("counted wrongly", f"{self.reader} got {event} without a change")
        # A name that ended is forgotten by the next bus, so the changes before its start count as one.
        is_forgotten = is_first and ("null" in (value, self.values.get(name)) or ".tied" in name)
        if last is not None and changes > 0 and not is_forgotten:
            counted = changes + event["dropped"]
            if generation - last != counted:
                kind = "counted twice" if generation - last < counted else "lost"
                raise world.Broken(kind, f"{self.reader} had generation {last} of {name}, and then got {event}")
        if last is not None and generation < last:
            raise world.Broken("older", f"{self.reader} had generation {last} of {name}, and then got {event}")
        # The events of these have what is new since the subscriber's last one, or concern only its subscription.
        if name not in ("defaults", "folders", "lifecycle"):
            self.history.note(self.reader, self.instance, name, generation, value)
        self.generations[name], self.values[name] = generation, value
        if value == "null" and any(name.startswith(pattern) for pattern in self.patterns):
            del self.generations[name]
