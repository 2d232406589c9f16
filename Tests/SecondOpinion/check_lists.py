"""Lists of subscriptions and histories of aspects: what they show is what calls did."""
from typing import Any, Iterator

from calls import BUS, Call, Run
from check_values import Facts
from streams import Span, Stream
from writes import Writes


def violations(run: Run, writes: Writes, facts: Facts, streams: list[Stream]) -> Iterator[str]:
    known = {stream.identifier: stream for stream in streams}
    for call in run.calls:
        if not call.succeeded or not call.replies:
            continue
        if call.method == BUS + "ListSubscriptions":
            for entry in call.replies[0].parameters["subscriptions"]:
                stream = known.get(entry["subscription"])
                if stream is not None:
                    yield from _entry(call, entry, stream)
        elif call.method == BUS + "GetHistory":
            yield from _history(call, call.replies[0].parameters["events"])
        elif call.method == BUS + "GetState":
            yield from _states(call, call.replies[0].parameters["events"])


def _entry(call: Call, entry: dict[str, Any], stream: Stream) -> Iterator[str]:
    where = f"{stream} in {call}"
    if entry["pid"] != stream.call.connection.pid:
        yield f"the process is {entry['pid']}: {where}"
    if entry.get("name") != stream.call.parameters.get("name"):
        yield f"the name is {entry.get('name')}: {where}"
    if sorted(map(stream.named, entry["aspects"])) != sorted(stream.aspects):
        yield f"the aspects are {entry['aspects']}: {where}"
    for hold in ("app", "operator"):
        if hold not in entry["held"] and _includes(stream.holds[hold], call):
            yield f"{hold} does not hold it: {where}"
        if hold in entry["held"] and _includes(stream.clear[hold], call):
            yield f"{hold} holds it: {where}"
    for pending in entry["pending"]:
        if pending["changes"] < 1 or not stream.includes(stream.named(pending["aspect"])):
            yield f"{pending} is pending: {where}"


def _includes(spans: list[Span], call: Call) -> bool:
    return any(begin < call.at and call.replies[0].at < end for begin, end in spans)


def _history(call: Call, events: list[dict[str, Any]]) -> Iterator[str]:
    """The newest changes, oldest first, each for itself."""
    limit = call.parameters.get("limit")
    if limit is not None and len(events) > limit:
        yield f"{len(events)} changes, more than the limit: {call}"
    for before, event in zip([None, *events], events):
        if event["aspect"] != call.parameters["aspect"] or event["changes"] != 1 or event["dropped"]:
            yield f"{event['aspect']} {event['generation']} stands for {event['changes']} changes: {call}"
        if before is not None and event["generation"] != before["generation"] + 1:
            yield f"generation {event['generation']} after {before['generation']}: {call}"


def _states(call: Call, events: list[dict[str, Any]]) -> Iterator[str]:
    """Every aspect that was asked for by name, once, and no change."""
    names = [event["aspect"] for event in events]
    for aspect in call.parameters.get("aspects") or []:
        if not aspect.endswith(".*") and names.count(aspect) != 1:
            yield f"{names.count(aspect)} states of {aspect}: {call}"
    if any(event["changes"] for event in events):
        yield f"a state with changes: {call}"
