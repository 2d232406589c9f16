"""Entries of the schedule, and what is true of them: each that was confirmed fires once, and no other does."""
from __future__ import annotations

import time
import typing

import crowd
import publisher
import subscriber
import world


class Entries:
    """The entries of a run."""

    def __init__(self, around: crowd.Crowd) -> None:
        self.around = around
        self.confirmed: dict[str, int] = {}
        self.refused: set[str] = set()
        # Entries whose call was repeated after the loss of its reply: they may have fired for each call.
        self.repeated: set[str] = set()
        self.cancelled: set[str] = set()

    def add(self, name: str, after: float, **fields: typing.Any) -> None:
        """Adds an entry that is due after some seconds; a bus that cannot save it refuses it."""
        at = int((time.time() + after) * 1e6)
        entry = {"id": name, "aspect": "org.example.fired." + name, "value": {"by": name}, "at": at, **fields}
        control, before = self.around.control, len(self.around.bus.ends)
        connection = control.connection
        try:
            control.call("org.reveille.Schedule.Add", entry=entry)
            self.confirmed[name] = at
        except publisher.Refused as refusal:
            if refusal.parameters.get("quota") != "storage":
                raise
            self.refused.add(name)
        if control.connection is not connection and connection or len(self.around.bus.ends) != before:
            self.repeated.add(name)

    def cancel(self, name: str) -> None:
        """Cancels an entry; a bus that cannot save this refuses, and is asked again."""
        self.cancelled.add(name)
        while True:
            try:
                self.around.control.call("org.reveille.Schedule.Cancel", id=name)
                return
            except publisher.Refused as refusal:
                # It was refused before, or the reply to a first call was lost.
                if refusal.error == "org.reveille.Schedule.NoSuchEntry":
                    return
                if refusal.parameters.get("quota") != "storage":
                    raise

    def wait(self, *readers: subscriber.Subscriber) -> None:
        """Waits until readers have received the firings of all entries that are due soon."""
        soon = (time.time() + 5) * 1e6
        due = {name for name, at in self.confirmed.items() if at < soon and name not in self.cancelled}
        self.around.place.wait(
            lambda: f"the firings of {due}, of which there are {[(one.name, fired(one)) for one in readers]}",
            lambda: all(due <= set(fired(one)) for one in readers))

    def check(self) -> None:
        """Checks the counts, and the entries that are left."""
        for one in self.around.subscribers:
            for name, count in fired(one).items():
                if name in self.refused:
                    raise world.Broken("refused, and fired", f"{one.name}: {name}")
                if count > 1 and name not in self.repeated:
                    raise world.Broken("counted twice", f"{one.name} received {count} firings of {name}")
        left = {item["entry"]["id"] for item in self.around.control.call("org.reveille.Schedule.List")["entries"]}
        late = {name for name, at in self.confirmed.items() if at > (time.time() + 60) * 1e6} - self.cancelled
        if left != late:
            raise world.Broken("schedule", f"the entries {left} are there, not {late}; refused: {self.refused}")


def fired(one: subscriber.Subscriber) -> dict[str, int]:
    """Returns how many firings of each entry a subscriber has received; an initial state has one, if it is the first."""
    counts: dict[str, int] = {}
    for event in one.events:
        name = event["aspect"].removeprefix("org.example.fired.")
        if name != event["aspect"] and event["value"] is not None:
            counts[name] = max(1, counts.get(name, 0) + event["changes"])
    return counts
