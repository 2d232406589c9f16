"""Ways in which a bus could deliver at the wrong time, or to the wrong subscriber."""
from calls import BUS, Run
from history import Record
from scene import Mutation, Scene, is_exact
from streams import Stream, streams
from writes import Writes


def parsed(scene: Scene) -> tuple[Run, Writes, list[Stream]]:
    run = Run(scene.records)
    found = streams(run)
    scene.chance.shuffle(found)
    return run, Writes(run), found


def early_event(scene: Scene) -> bool:
    """A change that was made in the background comes before the wake."""
    run, writes, found = parsed(scene)
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
    """A slow reader gets a second old event after its unread one."""
    run, writes, found = parsed(scene)
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
    run, writes, found = parsed(scene)
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
    run, writes, found = parsed(scene)
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
    """The bus does not know positions of its own instance, or accepts another instance's."""
    for reply in scene.replies(BUS + "Subscribe"):
        given = scene.call(reply)["parameters"]
        if reply["parameters"].get("resumed") and given.get("resume"):
            if all(position["generation"] > 0 for position in given["resume"]):
                reply["parameters"]["resumed"] = False
                return True
    return False


def lost_difference(scene: Scene) -> bool:
    """A change between two subscriptions is not delivered."""
    run, writes, found = parsed(scene)
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


# Each with words of the violations that show it, any of them.
MUTATIONS: list[tuple[Mutation, str]] = [
    (early_event, "came in the background"),
    (stale_event, "is stale"),
    (incomplete_wake, "is not in the reply"),
    (hurried_interval, "too early for its interval"),
    (wrong_resumed, "resumed is false"),
    (lost_difference, "is lost"),
    (missing_initial, "has no current state"),
]
