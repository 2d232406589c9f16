"""Each stream counts: positions only grow, and every change is in one event, or in `dropped`."""
from typing import Any, Iterator

import json_values
import words
from calls import FOREVER, Reply, Run
from check_values import Facts
from json_values import NULL
from streams import Stream
from writes import Writes

# Aspects whose occurrences are all changes, equal or not.
TALLIES = {"motion", "shake"}
# The bus knows of this many changes before a restart whether they led to the saved state.
SAVED_CHANGES = 64


class Position:
    """What a subscription has seen of an aspect: a generation, or a range of them."""

    def __init__(self, least: int, greatest: int, is_exact: bool) -> None:
        self.least = least
        self.greatest = greatest
        self.is_exact = is_exact


def violations(run: Run, writes: Writes, facts: Facts, streams: list[Stream]) -> Iterator[str]:
    for stream in streams:
        yield from _Counts(run, writes, facts, stream).violations()


class _Counts:
    def __init__(self, run: Run, writes: Writes, facts: Facts, stream: Stream) -> None:
        self.run = run
        self.writes = writes
        self.facts = facts
        self.stream = stream
        self.positions: dict[str, Position] = {}
        self.sequence = -1
        # Events of these may overtake others.
        self.is_ordered = not any(
            policy.get("interval") or policy.get("background") in ("immediate", "drop") for policy in stream.policies)

    def violations(self) -> Iterator[str]:
        first = self.stream.replies[0]
        if first.parameters.get("resumed"):
            for position in self.stream.resume:
                generation = position["generation"]
                self.positions[position["aspect"]] = Position(generation, generation, True)
        for reply in self.stream.replies:
            if reply.error is None:
                yield from self._reply(reply, reply is first)

    def _reply(self, reply: Reply, is_first: bool) -> Iterator[str]:
        events = reply.parameters["events"]
        where = f"{self.stream} at {reply.at}"
        if not events and not is_first:
            yield f"a reply without events: {where}"
        names = [event["aspect"] for event in events]
        for name in set(names):
            if not self.stream.includes(name):
                yield f"{name}, which was not asked for: {where}"
            if names.count(name) > 1 and self.stream.background(name) != "hold":
                yield f"{names.count(name)} events of {name} in one reply: {where}"
        if "lifecycle" in names[1:]:
            yield f"lifecycle is not the first event: {where}"
        sequences = [event["sequence"] for event in events if event["aspect"] != "lifecycle"]
        if sequences != sorted(sequences):
            yield f"events are not in the order of their last changes: {where}"
        if not is_first and self.is_ordered and sequences:
            if sequences[0] <= self.sequence:
                yield f"sequence {sequences[0]} after {self.sequence}: {where}"
        self.sequence = max([self.sequence, *sequences])
        for event in events:
            yield from self._event(event, reply, is_first, where)
        yield from self._limits(events, where)

    def _event(self, event: dict[str, Any], reply: Reply, is_first: bool, where: str) -> Iterator[str]:
        aspect, generation, count = event["aspect"], event["generation"], event["changes"] + event["dropped"]
        where = f"{aspect} {generation} of {where}"
        position = self.positions.get(aspect)
        value = json_values.of(aspect, event)
        if event["firstChangedAt"] > event["changedAt"]:
            yield f"the first change is after the last one: {where}"
        if event["changes"] == 0:
            if not is_first:
                yield f"an event without changes: {where}"
            if not event["netChange"] or event["dropped"]:
                yield f"a current state with netChange false or dropped: {where}"
        elif event["changes"] < 0 or event["dropped"] < 0:
            yield f"a negative count: {where}"
        else:
            if position is not None and generation <= position.least:
                yield f"generation {generation} after {position.least}: {where}"
            if position is None:
                position = self._start(aspect)
            seen = generation - count
            if self._may_be_less(aspect, is_first):
                position = Position(position.least, FOREVER, False)
            if not position.least <= seen <= position.greatest:
                expected = f"{position.least} to {position.greatest}" if not position.is_exact else f"{position.least}"
                yield f"{count} changes to {generation}, but the position was {expected}: {where}"
            if position.is_exact or not is_first:
                yield from self._net_change(event, value, seen, is_first, where)
        # A name that was withdrawn may be forgotten, and come back higher, unless it was given literally.
        is_literal = aspect in self.stream.aspects
        is_exact = is_literal or value != NULL
        self.positions[aspect] = Position(generation, generation if is_exact else FOREVER, is_exact)

    def _start(self, aspect: str) -> Position:
        """The position of an aspect at which nothing has been delivered yet."""
        if aspect == "lifecycle":
            return Position(0, 0, True)
        call, instance = self.stream.call, self.stream.instance
        first = call.replies[0]
        if first.parameters.get("resumed"):
            # Without a position, it was never seen.
            return Position(0, FOREVER, False)
        least = self.writes.completed(instance, aspect, call.at)
        # A withdrawal of a name that is not published has no generation of its own.
        later = [(write.generation or 0) for write in self.writes.known.get((instance, aspect), ())
                 if write.begin > first.at and write.value != NULL]
        earlier = {(write.generation or 0) for write in self.writes.known.get((instance, aspect), ())
                   if write.begin <= first.at}
        fresh = [generation for generation in later if generation > max(earlier, default=-1)
                 and (self.writes.begin(instance, aspect, generation) or 0) > first.at]
        return Position(least, min(fresh, default=FOREVER + 1) - 1, False)

    def _may_be_less(self, aspect: str, is_first: bool) -> bool:
        """Whether `changes` may be less than the difference of generations."""
        if self.stream.background(aspect) == "drop" and self.stream.was_held:
            return True
        # Between two subscriptions, a withdrawn name is forgotten, and names of connections end with the bus.
        # What a bus does not know of a list of domains is one change.
        return is_first and ("." in aspect or " " in aspect)

    def _is_known(self, aspect: str, seen: int, generation: int) -> bool:
        """Whether a bus knows the state at a position of `resume`: both changes are known to be of one life."""
        times = [self.facts.changed.get((self.stream.instance, aspect, number)) for number in (seen, generation)]
        lives = {sum(life.began <= at - self.run.wall for life in self.run.lives) for at in times if at is not None}
        return None not in times and len(lives) == 1 and generation - seen <= SAVED_CHANGES

    def _net_change(self, event: dict[str, Any], value: Any, seen: int, is_first: bool, where: str) -> Iterator[str]:
        aspect, generation, instance = event["aspect"], event["generation"], self.stream.instance
        if aspect == "lifecycle" or aspect in TALLIES or aspect.split(" ")[0] in json_values.DIFFERENCES:
            return
        before = self.facts.value.get((instance, aspect, seen))
        if aspect.startswith(words.FIRINGS):
            before = None if value == NULL else ("another", None)
        if is_first and event["netChange"] and not self._is_known(aspect, seen, generation):
            before = None
        if before is not None and event["dropped"] == 0 and event["netChange"] != (before != value):
            yield f"netChange is {event['netChange']}, but the state was {before} and is {value}: {where}"
        # A first reply has every aspect that changed, and `hold` keeps each change.
        policy = self.stream.policy(aspect)
        is_asked = is_first or policy.get("background") == "hold"
        if event["netChange"] is False and policy.get("netChangeOnly") and not is_asked:
            yield f"an event without a net change, in spite of netChangeOnly: {where}"
        first = self.facts.changed.get((instance, aspect, seen + 1))
        # After a restart, the bus has only the last change.
        is_late = is_first and first is not None and first < event["firstChangedAt"]
        if first is not None and event["dropped"] == 0 and first != event["firstChangedAt"] and not is_late:
            yield f"firstChangedAt is {event['firstChangedAt']}, but {seen + 1} changed at {first}: {where}"

    def _limits(self, events: list[dict[str, Any]], where: str) -> Iterator[str]:
        """A hold keeps the newest changes up to its limit, and drops none before."""
        for aspect in {event["aspect"] for event in events}:
            if self.stream.background(aspect) != "hold":
                continue
            limit = self.stream.policy(aspect).get("limit") or 0
            own = [event for event in events if event["aspect"] == aspect]
            # One more may be the merged changes of a reader that was slow before the background.
            if limit and len(own) > limit + 1:
                yield f"{len(own)} events of {aspect}, more than its limit {limit}: {where}"
            merged = any(event["changes"] > 1 for event in own)
            long = any(len(str(event.get("value"))) > 1_000 for event in own)
            if limit and own[0]["dropped"] and len(own) < limit and not merged and not long:
                yield f"{aspect} dropped {own[0]['dropped']} changes, but kept {len(own)} of {limit}: {where}"
            if any(event["dropped"] for event in own[1:]):
                yield f"{aspect} dropped changes after its first event: {where}"


__all__ = ["violations"]
