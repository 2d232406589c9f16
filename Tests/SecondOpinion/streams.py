"""Subscriptions of a run: what each asked for, and what it received when."""
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Iterator

import words
from calls import BUS, FOREVER, Call, Reply, Run

DEFAULT = ["locale", "defaults", "battery", "proximity", "orientation"]
Span = tuple[int, int]


@dataclass(eq=False)
class Stream:
    call: Call
    identifier: str
    instance: str
    aspects: list[str]
    policies: list[dict[str, Any]]
    # Spans with a hold (`app` or `operator`) for certain, and spans without the hold for certain.
    holds: dict[str, list[Span]] = field(default_factory=dict)
    clear: dict[str, list[Span]] = field(default_factory=dict)
    # Whether any call may have held it.
    was_held: bool = False

    @property
    def resume(self) -> list[dict[str, Any]]:
        """The positions that it gave."""
        return _renamed(self.call, self.call.parameters.get("resume") or [])

    def named(self, aspect: str) -> str:
        """The name of an aspect in this subscription: settings are those of its domains."""
        return self.call.settings if aspect == "defaults" else aspect

    @property
    def replies(self) -> list[Reply]:
        return self.call.replies

    def includes(self, aspect: str) -> bool:
        return any(words.matches(pattern, aspect) for pattern in self.aspects)

    def policy(self, aspect: str) -> dict[str, Any]:
        """The policy of a name, else the longest pattern's."""
        matching = [policy for policy in self.policies if words.matches(policy["aspect"], aspect)]
        return max(matching, key=lambda policy: (policy["aspect"] == aspect, len(policy["aspect"])), default={})

    def background(self, aspect: str) -> str:
        return self.policy(aspect).get("background") or "coalesce"

    def is_held(self, begin: int, end: int) -> Span | None:
        """The span of certain hold that includes an interval."""
        spans = [span for hold in self.holds.values() for span in hold]
        return next((span for span in spans if span[0] < begin and end < span[1]), None)

    def __str__(self) -> str:
        return f"subscription {self.identifier} of {self.call.connection.client}"


def _renamed(call: Call, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [entry | {"aspect": call.settings} if entry["aspect"] == "defaults" else entry for entry in entries]


def streams(run: Run) -> list[Stream]:
    """All subscriptions that had a first reply."""
    result = {}
    for call in run.calls:
        if call.method == BUS + "Subscribe" and call.replies and "subscription" in call.replies[0].parameters:
            first = call.replies[0].parameters
            stream = Stream(
                call, first["subscription"], first["instance"],
                [call.settings if aspect == "defaults" else aspect
                 for aspect in call.parameters.get("aspects") or DEFAULT],
                _renamed(call, call.parameters.get("policies") or []))
            stream.policy = lru_cache(None)(stream.policy)  # type: ignore[method-assign]
            result[stream.identifier] = stream
    orders: dict[str, list[Call]] = {}
    for call in run.calls:
        if call.method == BUS + "SetState" and (not call.replies or call.succeeded):
            orders.setdefault(call.parameters.get("subscription", ""), []).append(call)
    for identifier, stream in result.items():
        _find_spans(stream, orders.get(identifier, []))
    return list(result.values())


@dataclass
class _Order:
    begin: int
    end: int
    sets: bool
    lasts: int


def _find_spans(stream: Stream, calls: list[Call]) -> None:
    """The process that connected sets the hold `app`, any other the hold `operator`; both are independent."""
    first = stream.replies[0].at
    is_held = stream.call.parameters.get("state") == "background"
    orders = {
        "app": [_Order(stream.call.at, first, is_held, FOREVER)],
        "operator": [_Order(stream.call.at, first, False, FOREVER)],
    }
    for call in calls:
        own = call.connection.pid == stream.call.connection.pid
        sets = call.parameters["state"] in ("background", "suspended")
        wake = call.parameters.get("wakeAfter")
        orders["app" if own else "operator"].append(
            _Order(call.at, call.end, sets, FOREVER if wake is None else wake * 1_000))
    for name, hold in orders.items():
        stream.holds[name] = list(_spans(hold, True))
        stream.clear[name] = list(_spans(hold, False))
        stream.was_held |= any(order.sets for order in hold)


def _spans(orders: list[_Order], sets: bool) -> Iterator[Span]:
    """The spans after calls that set, or clear, a hold, up to the next call that may do something else."""
    orders.sort(key=lambda order: order.begin)
    for index, order in enumerate(orders):
        if order.sets != sets or order.end == FOREVER:
            continue
        others = [other for other in orders if other is not order and other.end > order.begin]
        stop = min((other.begin for other in others if other.sets != sets), default=FOREVER)
        if sets:
            # A later call on the same hold gives it another deadline.
            later = [other for other in others if other.sets]
            stop = min([stop, order.begin + order.lasts, *(other.begin + other.lasts for other in later)])
        if order.end < stop:
            yield order.end, stop
