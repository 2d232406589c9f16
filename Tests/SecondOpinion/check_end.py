"""The end: when all is quiet, every subscriber has the newest state of everything that it asked for."""
from typing import Any, Iterator

import json_values
import words
from calls import BUS, FOREVER, SCHEDULE, Run
from check_values import Facts
from json_values import NULL
from streams import Stream
from writes import Writes, end_of_tie


def violations(run: Run, writes: Writes, facts: Facts, streams: list[Stream]) -> Iterator[str]:
    if run.quiet == FOREVER:
        if run.must_be_quiet:
            yield "the run never became quiet"
        return
    last, instance = _last_states(run)
    yield from _left_pending(run, streams)
    for stream in streams:
        # A subscription whose program, connection or bus had ended by then has no end to judge.
        if run.end_of(stream.call.connection) > run.quiet and stream.instance == instance:
            yield from _stream(run, writes, facts, stream, last)
    yield from _ties(run, writes, last, instance)
    yield from _firings(run, writes, last, instance)


def _last_states(run: Run) -> tuple[dict[str, Any], str | None]:
    result: dict[str, Any] = {}
    instance = None
    for call in run.calls:
        if call.at > run.quiet and call.method == BUS + "GetState" and call.succeeded:
            instance = call.replies[0].parameters["instance"]
            for event in call.replies[0].parameters["events"]:
                result.setdefault(event["aspect"], event)
    return result, instance


def _stream(
    run: Run, writes: Writes, facts: Facts, stream: Stream, last: dict[str, Any],
) -> Iterator[str]:
    positions: dict[str, tuple[int, Any]] = {}
    if stream.replies[0].parameters.get("resumed"):
        for entry in stream.resume:
            aspect, generation = entry["aspect"], entry["generation"]
            positions[aspect] = generation, facts.value.get((stream.instance, aspect, generation))
    life = None
    for reply in stream.replies:
        for event in reply.parameters["events"] if reply.at <= run.quiet else ():
            if event["aspect"] == "lifecycle":
                life = event["lifecycle"]["state"]
            else:
                positions[event["aspect"]] = event["generation"], json_values.of(event["aspect"], event)
    if life not in (None, "active"):
        yield f"the last lifecycle is {life}: {stream}"
    for aspect, event in last.items():
        if not stream.includes(aspect):
            continue
        if stream.background(aspect) == "drop" and stream.was_held:
            continue
        value, generation = json_values.of(aspect, event), event["generation"]
        silent = stream.policy(aspect).get("netChangeOnly")
        position = positions.get(aspect)
        if position is not None:
            same = position[1] is None or position[1] == value
            if not same or (position[0] != generation and not silent and value != NULL):
                yield f"{aspect} ended at {position[0]} {position[1]}, but is {generation} {value}: {stream}"
        else:
            begin = writes.begin(stream.instance, aspect, generation)
            if begin is not None and begin > stream.replies[0].at and value != NULL and not silent:
                yield f"{aspect} {generation}, made at {begin}, was never delivered: {stream}"


def _left_pending(run: Run, streams: list[Stream]) -> Iterator[str]:
    """Nothing is held or waits, but what `netChangeOnly` keeps back."""
    known = {stream.identifier: stream for stream in streams}
    for call in run.calls:
        if call.at < run.quiet or call.method != BUS + "ListSubscriptions" or not call.succeeded:
            continue
        for entry in call.replies[0].parameters["subscriptions"]:
            stream = known.get(entry["subscription"])
            if stream is None:
                continue
            if set(entry["held"]) - {"unread"}:
                yield f"{stream} is held by {entry['held']} at the end"
            for pending in entry["pending"]:
                if not stream.policy(stream.named(pending["aspect"])).get("netChangeOnly"):
                    yield f"{pending['changes']} changes of {pending['aspect']} are pending at the end: {stream}"


def _ties(run: Run, writes: Writes, last: dict[str, Any], instance: str | None) -> Iterator[str]:
    """What was tied to a connection that has ended is withdrawn."""
    for aspect, event in last.items():
        known = writes.known.get((instance or "", aspect), [])
        if "." not in aspect or event["value"] is None or not known or not writes.is_own(aspect):
            continue
        newest = max(write.generation or 0 for write in known)
        final = [write for write in known if write.end > max(
            (other.begin for other in known if other.generation == newest), default=0)]
        final += [write for write in writes.unknown[aspect] if write.end == FOREVER or write.end > final[0].begin]
        if final and all(end_of_tie(run, write) < run.quiet for write in final):
            yield f"{aspect} is {event['value']} at the end, but the connection that published it has ended"


def _firings(run: Run, writes: Writes, last: dict[str, Any], instance: str | None) -> Iterator[str]:
    """Each entry that was due has fired, unless somebody cancelled it. A new instance has none of the earlier names."""
    cancelled = {call.parameters.get("id") for call in run.calls if call.method == SCHEDULE + "Cancel"}
    for aspect, calls in writes.fired.items():
        entry = calls[0].parameters["entry"]
        if not aspect.startswith(words.FIRINGS) or len(calls) > 1 or not calls[0].succeeded:
            continue
        if not calls[0].replies or entry["id"] in cancelled or None in cancelled or "at" not in entry:
            continue
        began = min((life.began for life in run.lives if instance in life.instances), default=FOREVER)
        is_lost = calls[0].at < began and entry["at"] - run.wall < began
        if aspect in last and last[aspect].get("value") is None and not is_lost:
            yield f"the entry {entry['id']} of {calls[0]} never fired"
