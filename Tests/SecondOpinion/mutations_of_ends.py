"""Ways in which a bus could be wrong at the end, and in its lists."""
from typing import Any

import json_values
import words
from calls import BUS, SCHEDULE
from mutations_of_time import parsed
from scene import Mutation, Scene


def old_at_the_end(scene: Scene) -> bool:
    """The last change of an aspect never comes."""
    alive = {record["client"] for record in scene.records if record["kind"] == "open"} - {
        record["client"] for record in scene.records if record["kind"] == "close" and record["at"] < scene.quiet}
    for reply, event in scene.streamed():
        earlier = [one for other in scene.records if other["kind"] == "reply" and other["client"] == reply["client"]
                   and other["at"] < reply["at"] for one in other["parameters"]["events"]
                   if one["aspect"] == event["aspect"]]
        if reply["client"] in alive and earlier and next(scene.later(reply, event["aspect"]), None) is None:
            values = [json_values.of(event["aspect"], one) for one in (event, earlier[-1])]
            if values[0] != values[1] and _is_last(scene, event):
                reply["parameters"]["events"].remove(event)
                if not reply["parameters"]["events"]:
                    scene.records.remove(reply)
                return True
    return False


def _is_last(scene: Scene, event: dict[str, Any]) -> bool:
    """Whether an event has the final state."""
    return any(
        one["aspect"] == event["aspect"] and one["generation"] == event["generation"]
        for record in scene.records if record["kind"] == "reply" and record["at"] > scene.quiet
        for one in record["parameters"].get("events", []) if one["changes"] == 0)


def pending_at_the_end(scene: Scene) -> bool:
    for reply in scene.replies(BUS + "ListSubscriptions"):
        for entry in reply["parameters"]["subscriptions"] if reply["at"] > scene.quiet else ():
            policies = _policies(scene, entry["subscription"])
            if entry["aspects"][0] != "lifecycle" and not policies:
                entry["pending"] = [{"aspect": entry["aspects"][0], "changes": 1}]
                return True
    return False


def held_at_the_end(scene: Scene) -> bool:
    for reply in scene.replies(BUS + "ListSubscriptions"):
        if reply["at"] > scene.quiet:
            entries = [entry for entry in reply["parameters"]["subscriptions"]
                       if _policies(scene, entry["subscription"]) is not None]
            if entries:
                entries[0]["held"] = ["app"]
                return True
    return False


def _policies(scene: Scene, identifier: str) -> Any:
    for reply in scene.replies(BUS + "Subscribe"):
        if reply["parameters"].get("subscription") == identifier:
            return scene.call(reply)["parameters"].get("policies", [])
    return None


def unseen_hold(scene: Scene) -> bool:
    """ListSubscriptions does not show a background."""
    run, _, found = parsed(scene)
    known = {stream.identifier: stream for stream in found}
    for reply in scene.replies(BUS + "ListSubscriptions"):
        call = scene.call(reply)
        for entry in reply["parameters"]["subscriptions"]:
            stream = known.get(entry["subscription"])
            for name, spans in stream.holds.items() if stream else ():
                if any(begin < call["at"] and reply["at"] < end for begin, end in spans):
                    entry["held"].remove(name)
                    return True
    return False


def lost_firing(scene: Scene) -> bool:
    """An entry that was due has not fired when all is over."""
    cancelled = {call["parameters"].get("id") for call in scene.calls.values() if call["method"] == SCHEDULE + "Cancel"}
    entries = {call["parameters"]["entry"]["aspect"]: call["parameters"]["entry"] for call in scene.calls.values()
               if call["method"] == SCHEDULE + "Add" and "aspect" in call["parameters"]["entry"]}
    for reply in scene.replies(BUS + "GetState"):
        for event in reply["parameters"]["events"] if reply["at"] > scene.quiet else ():
            entry = entries.get(event["aspect"])
            if event["aspect"].startswith(words.FIRINGS) and event["value"] is not None and entry and "at" in entry:
                if entry["id"] not in cancelled:
                    for record in scene.records:
                        events = record.get("parameters", {}).get("events", [])
                        events[:] = [one for one in events if one["aspect"] != event["aspect"]]
                    reply["parameters"]["events"].append({**event, "value": None})
                    return True
    return False


def unwithdrawn_tie(scene: Scene) -> bool:
    """A state outlives the connection that it was published with."""
    write = next(reply for reply in scene.replies(BUS + "Publish")
                 if scene.call(reply)["parameters"].get("aspect") == words.TIED)
    for reply in scene.replies(BUS + "GetState"):
        for event in reply["parameters"]["events"] if reply["at"] > scene.quiet else ():
            if event["aspect"] == words.TIED:
                event |= {"value": {}, **write["parameters"]}
                return True
    return False


# Each with words of the violations that show it, any of them.
MUTATIONS: list[tuple[Mutation, str]] = [
    (old_at_the_end, "ended at"),
    (pending_at_the_end, "are pending at the end"),
    (held_at_the_end, "at the end"),
    (unseen_hold, "does not hold it"),
    (lost_firing, "never fired"),
    (unwithdrawn_tie, "but the connection that published it has ended"),
]
