"""Values and generations: one value each, from a call that wrote it, in an order that real time allows."""
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Hashable, Iterator

import json_values
import words
from calls import BUS, FOREVER, Call, Reply, Run
from json_values import NULL
from writes import Key, Write, Writes, end_of_tie

EMPTY = json_values.canonical({})


@dataclass
class Seen:
    """A state that a client was told."""
    instance: str
    aspect: str
    generation: int
    value: Hashable
    sequence: int
    changed: int
    is_change: bool
    begin: int
    end: int
    where: str
    # Whether it was the state at some moment between begin and end.
    is_read: bool


class Facts:
    """The states of all replies, by generation."""

    def __init__(self, run: Run, writes: Writes) -> None:
        self.seen: dict[Key, list[Seen]] = defaultdict(list)
        self.value: dict[tuple[str, str, int], Hashable] = {}
        self.changed: dict[tuple[str, str, int], int] = {}
        for call in run.calls:
            for reply in call.replies:
                self._add(run, call, reply)
        for (instance, aspect), known in writes.known.items():
            for write in known:
                self.value.setdefault((instance, aspect, write.generation or 0), write.value)

    def _add(self, run: Run, call: Call, reply: Reply) -> None:
        if not call.method.startswith(BUS) or not isinstance(reply.parameters.get("events"), list):
            return
        is_first = reply is call.replies[0]
        instance = reply.parameters.get("instance") or call.replies[0].parameters.get("instance", "")
        for event in reply.parameters["events"]:
            aspect = event["aspect"]
            if aspect == "lifecycle":
                continue
            value = json_values.of(aspect, event)
            seen = Seen(
                instance, aspect, event["generation"], value, event["sequence"], event["changedAt"],
                # The null of a name that the bus does not know has the number of the moment, in a first reply.
                value != NULL or (event["changes"] > 0 and not is_first), call.at if is_first else reply.since,
                reply.at, str(call), is_first and call.method != BUS + "GetHistory")
            self.seen[instance, aspect].append(seen)
            self.value.setdefault((instance, aspect, seen.generation), value)
            if event["changes"] > 0 and seen.is_change:
                self.changed.setdefault((instance, aspect, seen.generation), seen.changed)


def violations(run: Run, writes: Writes, facts: Facts) -> Iterator[str]:
    sequences: dict[tuple[str, int], tuple[str, int]] = {}
    for (instance, aspect), seen in sorted(facts.seen.items()):
        yield from _one_value_each(writes, instance, aspect, seen, sequences)
        yield from _order(writes, instance, aspect, seen)
        if writes.is_own(aspect):
            yield from _origins(run, writes, instance, aspect, seen)
    for (instance, aspect), known in sorted(writes.known.items()):
        if writes.is_own(aspect):
            yield from _gaps(run, writes, aspect, known)


def _one_value_each(
    writes: Writes, instance: str, aspect: str, seen: list[Seen], sequences: dict[tuple[str, int], tuple[str, int]],
) -> Iterator[str]:
    """One value, sequence and time for each generation; both numbers grow together."""
    values: dict[int, tuple[Hashable, str]] = {}
    numbers: dict[int, tuple[int, str]] = {}
    for write in writes.known.get((instance, aspect), ()):
        generation = write.generation or 0
        other = values.setdefault(generation, (write.value, str(write.call)))
        if other[0] != write.value:
            yield f"{aspect} {generation} has two values: {other[0]} by {other[1]}, {write.value} by {write.call}"
        if write.value != NULL and write.sequence is not None:
            numbers.setdefault(generation, (write.sequence, str(write.call)))
    times: dict[int, int] = {}
    for one in seen:
        other = values.setdefault(one.generation, (one.value, one.where))
        if other[0] != one.value:
            yield f"{aspect} {one.generation} has two values: {other[0]} in {other[1]}, {one.value} in {one.where}"
        if one.is_change:
            number = numbers.setdefault(one.generation, (one.sequence, one.where))
            if number[0] != one.sequence:
                yield f"{aspect} {one.generation} has two sequences: {number}, {one.sequence} in {one.where}"
            if times.setdefault(one.generation, one.changed) != one.changed:
                yield f"{aspect} {one.generation} changed at two times: {times[one.generation]}, {one.changed} in {one.where}"
    before = None
    for generation in sorted(numbers):
        sequence, where = numbers[generation]
        other_owner = sequences.setdefault((instance, sequence), (aspect, generation))
        # Before its first change, each aspect of the device has the sequence 0.
        # A change of the settings is also one of each list of domains that it concerns.
        if other_owner != (aspect, generation) and sequence > 0 and not aspect.startswith("defaults"):
            yield f"sequence {sequence} is {other_owner} and {aspect} {generation} in {where}"
        # A name that was forgotten comes back above the sequence of the bus.
        least = 1 if "." in aspect else generation - (before or (0, 0))[0]
        if before is not None and sequence - before[1] < least:
            yield f"{aspect}: generations {before[0]} to {generation}, but sequences {before[1]} to {sequence} in {where}"
        before = generation, sequence


def _order(writes: Writes, instance: str, aspect: str, seen: list[Seen]) -> Iterator[str]:
    """Reads and writes are linearizable: nothing that was over before another call began is after it."""
    known = writes.known.get((instance, aspect), [])
    operations = [(write.begin, write.end, write.generation or 0, str(write.call)) for write in known]
    operations += [(one.begin, one.end, one.generation, one.where) for one in seen if one.is_read]
    over = sorted((end, generation, where) for _, end, generation, where in operations if end < FOREVER)
    position, newest, newest_where = 0, -1, ""
    for begin, _, generation, where in sorted(operations):
        while position < len(over) and over[position][0] < begin:
            if over[position][1] > newest:
                _, newest, newest_where = over[position]
            position += 1
        if generation < newest:
            yield f"{aspect} is {generation} in {where}, after {newest} in {newest_where} was over"


def _origins(run: Run, writes: Writes, instance: str, aspect: str, seen: list[Seen]) -> Iterator[str]:
    """Each state was written by a call that began before, and null by a withdrawal or the end of a tie."""
    known = writes.known.get((instance, aspect), [])
    unknown = writes.unknown.get(aspect, [])
    firings = writes.fired.get(aspect, [])
    fired = {_fired_value(call) for call in firings}
    for one in seen:
        if one.value == NULL and (not one.is_change or aspect.startswith(words.FIRINGS)):
            continue
        candidates = [write for write in known if write.generation == one.generation] + [
            write for write in unknown if write.value == one.value]
        if any(write.begin < one.end for write in candidates):
            continue
        if one.value in fired and min(call.at for call in firings) < one.end:
            continue
        ties = [write for write in known + unknown if end_of_tie(run, write) < one.end]
        if one.value == NULL and ties:
            continue
        yield f"{aspect} {one.generation} is {one.value} in {one.where}, which nobody had published"


def _fired_value(call: Call) -> Hashable:
    value = call.parameters["entry"].get("value")
    return EMPTY if value is None else json_values.canonical(value)


def _gaps(run: Run, writes: Writes, aspect: str, known: list[Write]) -> Iterator[str]:
    """Between two generations whose calls are known, others need calls of unknown outcome."""
    ordered = sorted(known, key=lambda write: (write.generation or 0, write.begin))
    for one, two in zip(ordered, ordered[1:]):
        gap = (two.generation or 0) - (one.generation or 0) - 1
        # A name that was withdrawn may have been forgotten; its next generation is any higher one.
        if gap < 1 or one.value == NULL:
            continue
        between = [write for write in writes.unknown[aspect] if write.begin < two.end and write.end > one.begin]
        ties = [write for write in known + writes.unknown[aspect]
                if write.is_tied and write.begin < two.end and end_of_tie(run, write) < two.end]
        ended = any(life.began > one.begin and life.began < two.end for life in run.lives)
        if gap > len(between) and not ties and not ended and all(write.value != NULL for write in between):
            yield f"{aspect}: {gap} changes between {one.call} and {two.call} that nobody made"
