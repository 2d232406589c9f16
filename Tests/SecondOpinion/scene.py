"""What mutations of a history look for in it."""
import random
from typing import Any, Callable, Iterator

from calls import BUS
from history import Record

Records = list[Record]
Event = dict[str, Any]


class Scene:
    """The records of a good run, with what mutations look for."""

    def __init__(self, records: Records, chance: random.Random) -> None:
        self.records = records
        self.chance = chance
        self.calls = {(record["client"], record["call"]): record for record in records if record["kind"] == "call"}
        self.quiet = next(record["at"] for record in records if record["kind"] == "quiet")

    def call(self, reply: Record) -> Record:
        return self.calls[reply["client"], reply["call"]]

    def replies(self, method: str, error: bool = False) -> list[Record]:
        """Replies to a method, shuffled."""
        found = [record for record in self.records if record["kind"] == "reply" and record["call"] is not None
                 and self.call(record)["method"] == method and ("error" in record) == error]
        self.chance.shuffle(found)
        return found

    def streamed(self, plain: bool = True) -> Iterator[tuple[Record, Event]]:
        """Events of streams after their first replies, of subscriptions without policies if `plain`."""
        for reply in self.replies(BUS + "Subscribe"):
            if "subscription" in reply["parameters"] or reply["at"] > self.quiet:
                continue
            if plain and self.call(reply)["parameters"].get("policies"):
                continue
            for event in reply["parameters"]["events"]:
                if event["aspect"] != "lifecycle":
                    yield reply, event

    def later(self, reply: Record, aspect: str) -> Iterator[tuple[Record, Event]]:
        """Events of the same aspect in later replies of the same stream, in order."""
        for record in self.records:
            if record["kind"] == "reply" and record["client"] == reply["client"] and record["at"] > reply["at"]:
                for event in record["parameters"].get("events", []):
                    if event["aspect"] == aspect:
                        yield record, event

    def between(self, first: Record, last: Record) -> list[Record]:
        """Replies of a stream after `first`, up to `last`."""
        return [record for record in self.records if record["kind"] == "reply" and record["client"] == first["client"]
                and first["at"] < record["at"] <= last["at"]]


def is_exact(event: Event) -> bool:
    """Whether the next event of the aspect must count from this one."""
    return event.get("value", {}) is not None


Mutation = Callable[[Scene], bool]
