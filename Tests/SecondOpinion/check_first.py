"""First replies: the positions that are known, the states that were asked for, and nothing lost in between."""
from typing import Any, Iterator

from calls import FOREVER, Run
from check_values import Facts
from json_values import NULL
import json_values
from streams import Stream
from writes import Writes, end_of_tie


def violations(run: Run, writes: Writes, facts: Facts, streams: list[Stream]) -> Iterator[str]:
    for stream in streams:
        yield from _First(run, writes, facts, stream).violations()


class _First:
    def __init__(self, run: Run, writes: Writes, facts: Facts, stream: Stream) -> None:
        self.run = run
        self.writes = writes
        self.facts = facts
        self.stream = stream
        self.asked = stream.call.parameters
        self.reply = stream.replies[0]
        self.events = {event["aspect"]: event for event in self.reply.parameters["events"]}
        self.where = f"first reply of {stream} at {self.reply.at}"

    def violations(self) -> Iterator[str]:
        resumed = self.reply.parameters.get("resumed")
        positions = {entry["aspect"]: entry["generation"] for entry in self.stream.resume}
        if "resume" not in self.asked or "instance" not in self.asked:
            if resumed is not None and "resume" not in self.asked:
                yield f"resumed is {resumed}, but no positions were given: {self.where}"
        else:
            yield from self._resumed(resumed, positions)
        if resumed:
            yield from self._differences(positions)
        if resumed is False or self.asked.get("initial"):
            yield from self._current(positions if resumed else {})
        if not resumed:
            for aspect, event in self.events.items():
                if event["changes"] and aspect != "lifecycle":
                    yield f"{aspect} has changes, but no position was known: {self.where}"

    def _resumed(self, resumed: bool | None, positions: dict[str, int]) -> Iterator[str]:
        if resumed is None:
            yield f"resumed is absent: {self.where}"
        same = self.asked["instance"] == self.stream.instance
        if resumed and not same:
            yield f"resumed is true for positions of {self.asked['instance']}: {self.where}"
        # A position that any reply before this call had is not ahead of the bus.
        honest = all(self._was_told(aspect, generation) for aspect, generation in positions.items())
        if resumed is False and same and honest:
            yield f"resumed is false for known positions: {self.where}"
        if resumed and any(generation > 2**40 for generation in positions.values()):
            yield f"resumed is true for positions ahead of the bus: {self.where}"

    def _was_told(self, aspect: str, generation: int) -> bool:
        return any(seen.generation >= generation and seen.end < self.stream.call.at
                   for seen in self.facts.seen.get((self.stream.instance, aspect), ()))

    def _differences(self, positions: dict[str, int]) -> Iterator[str]:
        """Every aspect that changed since its position has an event, and no other has."""
        for aspect, position in positions.items():
            if not self.stream.includes(aspect):
                continue
            event = self.events.get(aspect)
            completed = self.writes.completed(self.stream.instance, aspect, self.stream.call.at)
            silent = self.stream.policy(aspect).get("netChangeOnly")
            if completed > position and (event is None or event["changes"] == 0) and not silent:
                value = self.facts.value.get((self.stream.instance, aspect, completed))
                seen = self.facts.value.get((self.stream.instance, aspect, position))
                if not (value == seen == NULL):
                    yield f"{aspect} {completed} after the position {position} is lost: {self.where}"
            if event is not None and event["changes"] and event["generation"] <= position:
                yield f"{aspect} {event['generation']} comes again, after the position {position}: {self.where}"

    def _current(self, positions: dict[str, int]) -> Iterator[str]:
        """Every aspect that was given by name has its state, and so has each published name of a pattern."""
        for aspect in self.stream.aspects:
            if not aspect.endswith(".*") and aspect != "lifecycle" and aspect not in self.events:
                yield f"{aspect} has no current state: {self.where}"
        for aspect in self.writes.by_instance.get(self.stream.instance, ()):
            if self.stream.includes(aspect) and aspect not in self.events and self._is_published(aspect):
                yield f"{aspect}, which is published, has no current state: {self.where}"
        for aspect, event in self.events.items():
            if not positions and event["changes"] == 0 and aspect not in self.stream.aspects:
                if "." in aspect and json_values.of(aspect, event) == NULL:
                    yield f"{aspect} of a pattern is not published, but has a current state: {self.where}"

    def _is_published(self, aspect: str) -> bool:
        """Whether a name was certainly published from the call to its reply."""
        begin, end = self.stream.call.at, self.reply.at
        known = self.writes.known.get((self.stream.instance, aspect), [])
        others = self.writes.unknown.get(aspect, [])
        if any(write.begin < end and write.end > begin for write in [*known, *others]):
            return False
        # A new life of the bus withdraws what was tied to connections.
        if any(end_of_tie(self.run, write) < FOREVER for write in [*known, *others]):
            return False
        last: Any = max((write for write in known if write.end < begin),
                        key=lambda write: (write.generation or 0, write.begin), default=None)
        return last is not None and last.value != NULL and self.writes.is_own(aspect)
