"""Ways in which a bus could be wrong about answers and connections."""
from calls import BUS
from scene import Mutation, Scene


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
