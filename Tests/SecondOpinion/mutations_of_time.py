"""Ways in which a bus could be wrong about when, to whom and how it answers."""

from typing import Any

import json_values
import words
from calls import BUS, SCHEDULE, Run
from history import Record
from mutations import Mutation, Scene, is_exact
from streams import Stream, streams
from writes import Writes


def _streams(scene: Scene) -> tuple[Run, Writes, list[Stream]]:
    run = Run(scene.records)
    found = streams(run)
    scene.chance.shuffle(found)
    return run, Writes(run), found


def early_event(scene: Scene) -> bool:
    """A change that was made in the background comes before the wake."""
    run, writes, found = _streams(scene)
    for stream in found:
        for begin, end in [span for hold in stream.holds.values() for span in hold]:
            for reply in stream.replies[1:]:
                for event in reply.parameters["events"] if reply.error is None else ():
                    aspect = event["aspect"]
                    made = writes.begin(stream.instance, aspect, event["generation"])
                    if made is None or stream.background(aspect) == "immediate" or not begin < made < end - 2:
                        continue
                    record = _record(scene, stream.call.connection.client, reply.at)
                    record["at"] = record["since"] = made + 1
                    return True
    return False


def _record(scene: Scene, client: str, at: int) -> Record:
    return next(record for record in scene.records
                if record["kind"] == "reply" and record["client"] == client and record["at"] == at)


def stale_event(scene: Scene) -> bool:
    """A reader that was slow gets another old event after the one that it had not read."""
    run, writes, found = _streams(scene)
    for stream in found:
        if stream.policies or not stream.replies[1:]:
            continue
        for before, reply in zip(stream.replies, stream.replies[1:]):
            for event in reply.parameters["events"] if reply.error is None else ():
                newer = [write for write in writes.known.get((stream.instance, event["aspect"]), ())
                         if (write.generation or 0) > event["generation"] and write.end > before.at]
                life = run.lives[stream.call.connection.life]
                if newer and newer[0].end + 3 < min(life.term, life.kill):
                    record = _record(scene, stream.call.connection.client, before.at)
                    last = _record(scene, stream.call.connection.client, reply.at)
                    record["since"] = newer[0].end + 1
                    record["at"] = newer[0].end + 2
                    last["at"] = max(last["at"], newer[0].end + 3)
                    return True
    return False


def incomplete_wake(scene: Scene) -> bool:
    """A reply leaves out an aspect, which comes with the next one."""
    run, writes, found = _streams(scene)
    for stream in found:
        if stream.policies:
            continue
        for before, reply in zip(stream.replies, stream.replies[1:]):
            events = reply.parameters["events"] if reply.error is None else []
            names = [event["aspect"] for event in events if event["aspect"] != "lifecycle"]
            for event in events:
                aspect = event["aspect"]
                completed = writes.completed(stream.instance, aspect, before.since)
                seen = [one for other in stream.replies for one in other.parameters.get("events", ())
                        if one["aspect"] == aspect and other.at < reply.at]
                if len(names) < 2 or not seen or not is_exact(event) or not is_exact(seen[-1]):
                    continue
                if completed <= seen[-1]["generation"]:
                    continue
                record = _record(scene, stream.call.connection.client, reply.at)
                later = next(scene.later(record, aspect), None)
                if later is not None:
                    record["parameters"]["events"].remove(event)
                    later[1]["changes"] += event["changes"]
                    later[1]["firstChangedAt"] = event["firstChangedAt"]
                    return True
    return False


def hurried_interval(scene: Scene) -> bool:
    """Two events of an aspect with an interval come at once."""
    run, writes, found = _streams(scene)
    for stream in found:
        for reply in stream.replies[1:]:
            for event in reply.parameters["events"] if reply.error is None else ():
                interval = (stream.policy(event["aspect"]).get("interval") or 0) * 1_000
                begin = writes.begin(stream.instance, event["aspect"], event["generation"])
                record = _record(scene, stream.call.connection.client, reply.at)
                later = next(scene.later(record, event["aspect"]), None)
                if interval >= 20_000 and begin is not None and later and begin + interval > reply.at + 2_000:
                    later[0]["at"] = later[0]["since"] = reply.at + 1_000
                    return True
    return False


def wrong_resumed(scene: Scene) -> bool:
    """Positions of this instance are not known, or those of another are."""
    for reply in scene.replies(BUS + "Subscribe"):
        given = scene.call(reply)["parameters"]
        if reply["parameters"].get("resumed") and given.get("resume"):
            if all(position["generation"] > 0 for position in given["resume"]):
                reply["parameters"]["resumed"] = False
                return True
    return False


def lost_difference(scene: Scene) -> bool:
    """A change between two subscriptions is not delivered."""
    run, writes, found = _streams(scene)
    for stream in found:
        if not stream.replies[0].parameters.get("resumed") or stream.policies:
            continue
        positions = {entry["aspect"]: entry["generation"] for entry in stream.call.parameters["resume"]}
        record = _record(scene, stream.call.connection.client, stream.replies[0].at)
        for event in record["parameters"]["events"]:
            completed = writes.completed(stream.instance, event["aspect"], stream.call.at)
            if event.get("value", {}) is not None and positions.get(event["aspect"], completed) < completed:
                record["parameters"]["events"].remove(event)
                return True
    return False


def missing_initial(scene: Scene) -> bool:
    for reply in scene.replies(BUS + "Subscribe"):
        given = scene.call(reply)["parameters"]
        if "subscription" in reply["parameters"] and given.get("initial"):
            for event in reply["parameters"]["events"]:
                if event["aspect"] in given["aspects"] and event["aspect"] != "lifecycle" and event["changes"] == 0:
                    reply["parameters"]["events"].remove(event)
                    return True
    return False


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
    """Whether the final state is that of an event."""
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
    run, _, found = _streams(scene)
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


def undeclared_error(scene: Scene) -> bool:
    for reply in scene.replies(BUS + "GetState", error=True):
        reply["error"] = "org.reveille.Bus.Busy"
        return True
    return False


def needless_error(scene: Scene) -> bool:
    """A valid call is refused."""
    for reply in scene.replies(BUS + "Refresh") + scene.replies(BUS + "DescribeAspects"):
        reply |= {"error": "org.varlink.service.InvalidParameter", "parameters": {"parameter": "aspect"}}
        return True
    return False


def accepted_nonsense(scene: Scene) -> bool:
    """An invalid call succeeds."""
    for reply in scene.replies(BUS + "Publish", error=True):
        if reply["error"].endswith("InvalidParameter"):
            del reply["error"]
            reply["parameters"] = {"generation": 1, "sequence": 1}
            return True
    return False


def wrong_parameter(scene: Scene) -> bool:
    """An error names another parameter."""
    for reply in scene.replies(BUS + "Publish", error=True):
        if reply["error"].endswith("InvalidParameter"):
            reply["parameters"] = {"parameter": "name"}
            return True
    return False


def wrong_type(scene: Scene) -> bool:
    for reply in scene.replies(BUS + "Publish"):
        reply["parameters"]["generation"] = str(reply["parameters"]["generation"])
        return True
    return False


def missing_field(scene: Scene) -> bool:
    for reply in scene.replies(BUS + "ListSubscriptions"):
        if reply["parameters"]["subscriptions"]:
            del reply["parameters"]["subscriptions"][0]["held"]
            return True
    return False


def hung_up(scene: Scene) -> bool:
    """The bus ends a connection for no reason."""
    for index, record in enumerate(scene.records):
        if record["kind"] == "close" and record["by"] == "client" and record["client"][-1].isdigit():
            record["by"] = "bus"
            return True
    return False


def unanswered(scene: Scene) -> bool:
    closed = {record["client"] for record in scene.records if record["kind"] == "close" and record["at"] < scene.quiet}
    ended = {record["pid"] for record in scene.records if record["kind"] == "process" and record["event"] == "kill"}
    for reply in scene.replies(BUS + "Publish"):
        if reply["client"][-1].isdigit() and reply["client"] not in closed:
            if int(reply["client"].split(".")[0]) not in ended:
                scene.records.remove(reply)
                return True
    return False


def dead_bus(scene: Scene) -> bool:
    """The bus ends by itself."""
    for record in scene.records:
        if record["kind"] == "bus" and record["event"] in ("term", "kill"):
            scene.records.remove(record)
            return True
    return False


def broken_frame(scene: Scene) -> bool:
    for reply, _ in scene.streamed(plain=False):
        index = scene.records.index(reply)
        half = {name: reply[name] for name in ("kind", "at", "client", "call", "since")}
        scene.records[index] = {**half, "broken": '{"parameters":{"eve'}
        return True
    return False


def overfull_hold(scene: Scene) -> bool:
    """A hold drops changes although there is room."""
    for reply, event in scene.streamed(plain=False):
        policies = scene.call(reply)["parameters"].get("policies") or []
        own = [one for one in reply["parameters"]["events"] if one["aspect"] == event["aspect"]]
        if own[0] is not event or len(own) > 7 or any(one["changes"] > 1 or one["dropped"] for one in own):
            continue
        for policy in policies:
            if policy["aspect"] == event["aspect"] and (policy.get("limit") or 0) >= 8:
                event["dropped"] += 1
                return True
    return False


# Each with words of the violations that show it, any of them.
MUTATIONS: list[tuple[Mutation, str]] = [
    (early_event, "came in the background"),
    (stale_event, "is stale"),
    (incomplete_wake, "is not in the reply"),
    (hurried_interval, "too early for its interval"),
    (wrong_resumed, "resumed is false"),
    (lost_difference, "is lost"),
    (missing_initial, "has no current state"),
    (old_at_the_end, "ended at"),
    (pending_at_the_end, "are pending at the end"),
    (held_at_the_end, "at the end"),
    (unseen_hold, "does not hold it"),
    (lost_firing, "never fired"),
    (unwithdrawn_tie, "but the connection that published it has ended"),
    (undeclared_error, "the undeclared error"),
    (needless_error, "is valid, but got"),
    (accepted_nonsense, "but succeeded"),
    (wrong_parameter, "InvalidParameter for name"),
    (wrong_type, "does not match its interface"),
    (missing_field, "does not match its interface"),
    (hung_up, "without a reason"),
    (unanswered, "was never answered"),
    (dead_bus, "ended by itself"),
    (broken_frame, "an unexpected frame"),
    (overfull_hold, "but kept"),
]
