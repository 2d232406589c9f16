"""What each call may have written, and what the record proves about each generation."""
import bisect
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Hashable, Iterator

import json_values
import words
from calls import BUS, FOREVER, SCHEDULE, Call, Run
from json_values import NULL

Key = tuple[str, str]  # Instance and aspect.


@dataclass
class Write:
    """A Publish or Post that succeeded, or may have."""
    aspect: str
    value: Hashable
    begin: int
    end: int
    generation: int | None
    sequence: int | None
    is_tied: bool
    call: Call


class Writes:
    """All writes of a run, by instance and aspect."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.known: dict[Key, list[Write]] = defaultdict(list)
        # Outcome or instance unknown.
        self.unknown: dict[str, list[Write]] = defaultdict(list)
        self.fired: dict[str, list[Call]] = defaultdict(list)
        for call in run.calls:
            if call.method == SCHEDULE + "Add" and (not call.replies or call.succeeded):
                self.fired[call.parameters["entry"]["aspect"]].append(call)
            for write in self._writes(call):
                instance = run.instance(call.connection)
                if write.generation is None or instance is None:
                    self.unknown[write.aspect].append(write)
                else:
                    self.known[instance, write.aspect].append(write)
        self._completed = {key: _Maximum([(write.end, write.generation or 0) for write in writes])
                           for key, writes in self.known.items()}
        self._first: dict[tuple[str, str, int], Write] = {}
        for (instance, aspect), writes in self.known.items():
            for write in writes:
                self._first.setdefault((instance, aspect, write.generation or 0), write)
        self.by_instance: dict[str, list[str]] = defaultdict(list)
        for instance, aspect in self.known:
            self.by_instance[instance].append(aspect)

    def is_own(self, aspect: str) -> bool:
        """Whether only recorded clients publish this name."""
        return any(words.matches(pattern, aspect) for pattern in self.run.own)

    def completed(self, instance: str, aspect: str, at: int) -> int:
        """Returns the greatest generation whose write was answered by then; -1 if there is none."""
        maximum = self._completed.get((instance, aspect))
        return maximum.before(at) if maximum is not None else -1

    def first(self, instance: str, aspect: str, generation: int) -> Write | None:
        """Returns the earliest known write of a generation."""
        return self._first.get((instance, aspect, generation))

    def begin(self, instance: str, aspect: str, generation: int) -> int | None:
        """Returns a moment before which the generation did not exist; None if the record proves none."""
        write = self.first(instance, aspect, generation)
        if write is None:
            return None
        others = [other.begin for other in self.unknown.get(aspect, ()) if other.value == write.value]
        if write.value == NULL:
            # It may have been withdrawn by the end of a connection before.
            every = [*self.known[instance, aspect], *self.unknown.get(aspect, ())]
            others += [end_of_tie(self.run, other) for other in every if other.is_tied]
        return min([write.begin, *others])

    def _writes(self, call: Call) -> Iterator[Write]:
        if "upgrade" in call.flags or (call.replies and not call.succeeded):
            return
        if call.method == BUS + "Publish":
            pairs = [(call.parameters.get("aspect"), call.parameters)]
        elif call.method == BUS + "Post":
            pairs = [(aspect, call.parameters) for aspect in call.parameters]
        else:
            return
        reply: dict[str, Any] = call.replies[0].parameters if call.replies else {}
        for aspect, parameters in pairs:
            if isinstance(aspect, str):
                yield Write(
                    aspect, json_values.of(aspect, parameters), call.at, call.end, reply.get("generation"),
                    reply.get("sequence"), bool(call.parameters.get("whileConnected")), call)


class _Maximum:
    """The greatest number before a moment."""

    def __init__(self, pairs: list[tuple[int, int]]) -> None:
        self._times: list[int] = []
        self._values: list[int] = []
        for time, value in sorted(pairs):
            if not self._values or value > self._values[-1]:
                self._times.append(time)
                self._values.append(value)

    def before(self, time: int) -> int:
        index = bisect.bisect_left(self._times, time)
        return self._values[index - 1] if index else -1


def end_of_tie(run: Run, write: Write) -> int:
    return run.end_of(write.call.connection) if write.is_tied else FOREVER


__all__ = ["FOREVER", "NULL", "Key", "Write", "Writes", "end_of_tie"]
