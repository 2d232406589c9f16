"""Ways in which a bus could be wrong about values. Each changes a good history in one place, and the checker must notice.

A mutation changes the records of a scene, and returns whether it found a place.
"""
from typing import Any, Iterator

import json_values
import words
from calls import BUS
from history import Record
from scene import Event, Mutation, Scene, is_exact


def dropped_event(scene: Scene) -> bool:
    """An event is lost, and nothing else shows it than the count of the next one."""
    for reply, event in scene.streamed():
        before = [one for other in scene.records if other["kind"] == "reply" and other["client"] == reply["client"]
                  and other["at"] < reply["at"] for one in other["parameters"]["events"]
                  if one["aspect"] == event["aspect"]]
        exact = before and is_exact(before[-1]) and is_exact(event)
        if exact and next(scene.later(reply, event["aspect"]), None) is not None:
            reply["parameters"]["events"].remove(event)
            if not reply["parameters"]["events"]:
                scene.records.remove(reply)
            return True
    return False


def repeated_reply(scene: Scene) -> bool:
    """A change is delivered twice."""
    for reply, _ in scene.streamed():
        scene.records.insert(scene.records.index(reply) + 1, {**reply, "at": reply["at"] + 1})
        return True
    return False


def other_generation(scene: Scene) -> bool:
    """An event has the generation of the next change."""
    for _, event in scene.streamed():
        event["generation"] += 1
        return True
    return False


def swapped_values(scene: Scene) -> bool:
    """Two changes of a name have each other's values."""
    for reply, event in scene.streamed():
        for _, other in scene.later(reply, event["aspect"]):
            if "value" in event and json_values.canonical(event["value"]) != json_values.canonical(other["value"]):
                event["value"], other["value"] = other["value"], event["value"]
                return True
    return False


def one_change_more(scene: Scene) -> bool:
    """An event counts a change that was not."""
    for reply, event in scene.streamed():
        if is_exact(event):
            for _, other in scene.later(reply, event["aspect"]):
                other["changes"] += 1
                return True
    return False


def wrong_net_change(scene: Scene) -> bool:
    for reply, event in scene.streamed():
        if is_exact(event):
            for _, other in scene.later(reply, event["aspect"]):
                if not other["aspect"].startswith(words.FIRINGS):
                    other["netChange"] = not other["netChange"]
                    return True
    return False


def wrong_first_time(scene: Scene) -> bool:
    for _, event in scene.streamed():
        if event["changes"] == 1:
            event["firstChangedAt"] -= 1
            return True
    return False


def reordered(scene: Scene) -> bool:
    """The events of a reply are in the order of their names."""
    for reply, _ in scene.streamed(plain=False):
        events = reply["parameters"]["events"]
        if len(events) > 1 and events[0]["aspect"] != "lifecycle":
            events.reverse()
            return True
    return False


def two_events(scene: Scene) -> bool:
    """A wake delivers the changes of an aspect one by one."""
    for reply, event in scene.streamed():
        if event["changes"] > 1:
            first = {**event, "changes": event["changes"] - 1, "generation": event["generation"] - 1,
                     "sequence": event["sequence"] - 1}
            events = reply["parameters"]["events"]
            events.insert(events.index(event), first)
            event["changes"] = 1
            return True
    return False


def not_asked_for(scene: Scene) -> bool:
    for _, event in scene.streamed():
        event["aspect"] = "display"
        event["display"] = {"screens": [], "brightness": None}
        return True
    return False


def empty_reply(scene: Scene) -> bool:
    """A heartbeat."""
    for reply, _ in scene.streamed():
        beat = {**reply, "at": reply["at"] + 1, "parameters": {"events": []}}
        scene.records.insert(scene.records.index(reply) + 1, beat)
        return True
    return False


def invented_value(scene: Scene) -> bool:
    for reply in scene.replies(BUS + "GetState"):
        for event in reply["parameters"]["events"]:
            if event.get("value") is not None:
                event["value"] = {"invented": True}
                event["generation"] += 1 << 20
                event["sequence"] += 1 << 20
                return True
    return False


def second_value(scene: Scene) -> bool:
    """One generation has two values."""
    for reply in scene.replies(BUS + "GetState"):
        for event in reply["parameters"]["events"]:
            if event.get("value") is not None:
                event["value"] = {"invented": True}
                return True
    return False


def state_of_the_past(scene: Scene) -> bool:
    return _other_state(scene, later=False)


def state_of_the_future(scene: Scene) -> bool:
    return _other_state(scene, later=True)


def _other_state(scene: Scene, later: bool) -> bool:
    """GetState returns the state of another moment."""
    for reply in scene.replies(BUS + "GetState"):
        call = scene.call(reply)
        for event in reply["parameters"]["events"]:
            if event["aspect"] not in words.NAMES or event["value"] is None:
                continue
            for write in scene.replies(BUS + "Publish"):
                given = scene.call(write)
                result = write["parameters"]
                if given["parameters"]["aspect"] != event["aspect"] or given["parameters"].get("value") is None:
                    continue
                if not _is_same_life(scene, reply, write):
                    continue
                if given["at"] > reply["at"] and result["generation"] > event["generation"] if later else (
                        write["at"] < call["at"] and result["generation"] < event["generation"] - 20):
                    event |= {"value": given["parameters"]["value"], **result}
                    event.pop("changedAt")
                    times = [one["changedAt"] for other in scene.records if other["kind"] == "reply"
                             for one in other["parameters"].get("events", [])
                             if one["aspect"] == event["aspect"] and one["generation"] == result["generation"]
                             and "changedAt" in one]
                    event["changedAt"] = times[0] if times else 0
                    event["firstChangedAt"] = event["changedAt"]
                    return True
    return False


def _is_same_life(scene: Scene, one: Record, two: Record) -> bool:
    buses = {record["client"]: record["bus"] for record in scene.records if record["kind"] == "open"}
    return bool(buses[one["client"]] == buses[two["client"]])


def lost_publication(scene: Scene) -> bool:
    """A value that was answered is overwritten by one of an earlier generation."""
    for reply in scene.replies(BUS + "Publish"):
        given = scene.call(reply)["parameters"]
        if given["aspect"] in words.NAMES and given.get("value") is not None and reply["parameters"]["generation"] > 9:
            reply["parameters"]["generation"] -= 7
            reply["parameters"]["sequence"] -= 7
            return True
    return False


def phantom_change(scene: Scene) -> bool:
    """The generations of a name grow by a change that nobody made."""
    replies = [reply for reply in scene.replies(BUS + "Publish")
               if scene.call(reply)["parameters"].get("aspect") == words.PLAIN]
    last = max(reply["parameters"]["generation"] for reply in replies)
    for record in scene.records:
        if record["kind"] == "reply" and "error" not in record:
            if record in replies:
                _raise(record["parameters"], last)
            for event in record["parameters"].get("events", []):
                if event["aspect"] == words.PLAIN:
                    _raise(event, last)
    return bool(replies)


def _raise(numbers: dict[str, Any], generation: int) -> None:
    if numbers["generation"] >= generation:
        numbers["generation"] += 1
        numbers["sequence"] += 1


def change_of_other_domains(scene: Scene) -> bool:
    """A change of other domains has a generation of a list, and counts for all its subscriptions."""
    for reply, event in _chosen(scene):
        first, domains = event["generation"], scene.call(reply)["parameters"]["domains"]
        for record in scene.records:
            call = scene.calls.get((record.get("client"), record.get("call")))
            if call is None or call["parameters"].get("domains") != domains:
                continue
            seen = record["parameters"].get("resume") or []
            for other in [one for one in record["parameters"].get("events", []) if "defaults" in one]:
                before = other["generation"] - other["changes"]
                other["changes"] += before < first <= other["generation"]
                seen = [*seen, other]
            for position in seen:
                position["generation"] += position["aspect"].startswith("defaults") and position["generation"] >= first
        return True
    return False


def other_domain(scene: Scene) -> bool:
    """An event lists a domain that was not chosen, beside those that were."""
    for _, event in _chosen(scene):
        event["defaults"]["domains"].append(
            {"domain": "unchosen", "path": "/unchosen", "keys": ["k"], "opaque": False})
        return True
    return False


def _chosen(scene: Scene) -> Iterator[tuple[Record, Event]]:
    """Events of subscriptions to lists of domains."""
    for reply, event in scene.streamed(plain=False):
        if "defaults" in event and scene.call(reply)["parameters"].get("domains") and event["changes"] == 1:
            yield reply, event


# Each with words of the violations that show it, any of them.
MUTATIONS: list[tuple[Mutation, str]] = [
    (dropped_event, "but the position was"),
    (repeated_reply, "generation "),
    (other_generation, "but the position was|two values|nobody had published|but sequences"),
    (swapped_values, "has two values"),
    (one_change_more, "but the position was"),
    (wrong_net_change, "netChange is"),
    (wrong_first_time, "firstChangedAt is"),
    (reordered, "not in the order of their last changes"),
    (two_events, "events of "),
    (not_asked_for, "which was not asked for"),
    (empty_reply, "a reply without events"),
    (invented_value, "which nobody had published"),
    (second_value, "has two values|nobody had published"),
    (state_of_the_past, "was over"),
    (state_of_the_future, "which nobody had published|was over"),
    (lost_publication, "was over|two values|nobody had published|but sequences"),
    (phantom_change, "that nobody made"),
    (change_of_other_domains, "posts changed it"),
    (other_domain, "has other domains"),
]
