"""What random clients say: names, values, policies and calls, valid ones and others."""
import json
import random
from typing import Any

BUS = "org.reveille.Bus."
SCHEDULE = "org.reveille.Schedule."
# How the names of these clients' subscriptions begin.
NAME = "opinion "
# Names that only these clients publish. Firings have names of their own.
OWN = "org.opinion.*"
FIRINGS = "org.opinion.fire."
NAMES = [f"org.opinion.{group}.{number}" for group in "ab" for number in range(3)] + ["org.opinion.alone"]
# Names of one undisturbed publisher: a plain one, and one that ends with its connection.
PLAIN, TIED = "org.opinion.last.plain", "org.opinion.last.tied"
PATTERNS = ["org.opinion.*", "org.opinion.a.*", "org.opinion.b.*", "org.opinion.fire.*"]
POSTED: dict[str, list[dict[str, Any]]] = {
    "battery": [
        {"state": "charging", "level": level / 10, "plugged": True, "chargeStatus": "charging", "packs": []}
        for level in range(11)
    ] + [{"state": "unplugged", "level": 0.5, "plugged": False, "chargeStatus": "discharging", "packs": []}],
    "proximity": [{"state": "near"}, {"state": "far"}],
    "orientation": [{"pose": pose, "planar": pose} for pose in ("portrait", "landscapeLeft", "landscapeRight")],
    "sleep": [{"state": "awake", "sleptFor": length} for length in (None, 0, 512.5)],
    "light": [{"lux": 0}, {"lux": 10}, {"lux": 1000.5}],
    "defaults": [
        {"domains": [
            {"domain": "app/a", "path": "/a", "keys": keys, "opaque": False},
            {"domain": "dconf", "path": "/d", "keys": [] if opaque else paths, "opaque": opaque},
            {"domain": "other", "path": "/o", "keys": others, "opaque": False},
        ]}
        for keys in (["k"], ["l"]) for paths, opaque in ((["/a/k"], False), (["/a/k", "/b"], False), (["/b"], False), ([], True))
        for others in ([], ["k"], ["k", "l"])
    ],
    "switches": [{"lidClosed": closed, "tabletMode": None, "docked": True} for closed in (True, False, None)],
}
# Lists of domains of the settings.
LISTS = [["app/*"], ["app/a"], ["dconf"], ["dconf:/a/"], ["app/a", "dconf:/a/"], ["none"]]
# Values that differ in every way possible in JSON, and some that only look different.
VALUES: list[dict[str, Any]] = [
    {}, {"n": 0}, {"n": 1}, {"n": None}, {"n": True}, {"n": False}, {"n": "1"}, {"m": 1}, {"n": [1, 2]}, {"n": [2, 1]},
    {"n": {"m": 1}}, {"n": 0.1}, {"n": -1}, {"n": 9007199254740992}, {"n": 9007199254740993}, {"n": 2**63 - 1},
    {"n": -(2**63)}, {"n": "\u00e9"}, {"n": "e\u0301"}, {"n": "\u0000"}, {"n": "\U0001f600"}, {"a": 1, "b": 2}, {"b": 2, "a": 1},
]
TEXTS = [
    '{"n":1.0}', '{"n":1e0}', '{ "n" : 10e-1 }', '{"n":2,"n":1}', '{"n":"\\u00e9"}', '{"n":"\\u0065\\u0301"}',
    '{"n":"\\ud83d\\ude00"}', '{"n":-0.0}', '{"n":18446744073709551615}', '{"n":18446744073709551616}', '{"n":1e300}',
    '{"n":9007199254740993.0}', '{"n":0.1000000000000000055511151231257827}',
]


def value(chance: random.Random) -> dict[str, Any]:
    if chance.random() < 0.5:
        return {"n": chance.randrange(1_000_000)}
    if chance.random() < 0.03:
        return {"long": "x" * chance.choice([100, 2_000, 4_085])}
    return chance.choice(VALUES)


def publication(chance: random.Random) -> str:
    """Returns parameters of Publish as JSON."""
    name = json.dumps(chance.choice(NAMES))
    kind = chance.random()
    text = "null" if kind < 0.2 else chance.choice(TEXTS) if kind < 0.3 else json.dumps(value(chance))
    tied = chance.choice(["", "", "", ',"whileConnected":true', ',"whileConnected":false'])
    return f'{{"aspect":{name},"value":{text}{tied}}}'


def aspects(chance: random.Random) -> list[str]:
    """Returns aspects of a subscription, each once."""
    count = chance.randint(1, 4)
    pool = NAMES + PATTERNS + ["battery", "proximity", "orientation", "light", "lifecycle"]
    return chance.sample(pool, count) + (["defaults"] if chance.random() < 0.4 else [])


def policies(chance: random.Random, chosen: list[str]) -> list[dict[str, Any]]:
    """Returns policies for some of the aspects."""
    result = []
    for aspect in chosen:
        if aspect == "lifecycle" or chance.random() < 0.4:
            continue
        policy: dict[str, Any] = {"aspect": aspect}
        kind = chance.choice(["coalesce", "hold", "drop", "immediate", None])
        if kind is not None:
            policy["background"] = kind
        if kind == "hold":
            policy["limit"] = chance.choice([1, 2, 3, 8, 200])
        if chance.random() < 0.25:
            policy["netChangeOnly"] = chance.random() < 0.8
        if chance.random() < 0.25:
            policy["interval"] = chance.choice([1, 20, 80, 200])
        result.append(policy)
    return result


def invalid(chance: random.Random) -> tuple[str, dict[str, Any], dict[str, bool]]:
    """Returns a call that is wrong, or at a limit: method, parameters, flags."""
    long = "org.opinion." + "x" * 243
    more = {"more": True}
    calls: list[tuple[str, dict[str, Any], dict[str, bool]]] = [
        (BUS + "Publish", {"aspect": name, "value": {"n": 1}}, {})
        for name in ["volume", "", "org.", ".org", "org..x", "org.opinion.*", "org.\u00e9.x", "org.a b.c", long + "x", "org"]
    ]
    calls += [
        (BUS + "Publish", {"aspect": long, "value": None}, {}),
        (BUS + "Publish", {"aspect": NAMES[0]}, {}),
        (BUS + "Publish", {"value": {}}, {}),
        (BUS + "Publish", {"aspect": NAMES[0], "value": 1}, {}),
        (BUS + "Publish", {"aspect": NAMES[0], "value": []}, {}),
        (BUS + "Publish", {"aspect": NAMES[0], "value": {"n": 1}, "more": 1}, {}),
        (BUS + "Publish", {"aspect": NAMES[0], "value": {"n": 1}, "whileConnected": 1}, {}),
        (BUS + "Publish", {"aspect": NAMES[0], "value": {"long": "x" * 4_086}}, {}),
        (BUS + "Publish", {"aspect": NAMES[0], "value": nested(27)}, {}),
        (BUS + "Publish", {"aspect": NAMES[0], "value": nested(28)}, {}),
        (BUS + "Subscribe", {}, {}),
        (BUS + "Subscribe", {"aspects": []}, more),
        (BUS + "Subscribe", {"aspects": ["weather"]}, more),
        (BUS + "Subscribe", {"aspects": ["org.*.x"]}, more),
        (BUS + "Subscribe", {"aspects": ["*"]}, more),
        (BUS + "Subscribe", {"state": "asleep"}, more),
        (BUS + "Subscribe", {"state": "inactive"}, more),
        (BUS + "Subscribe", {"name": "x" * 129}, more),
        (BUS + "Subscribe", {"domains": []}, more),
        (BUS + "Subscribe", {"domains": ["*"]}, more),
        (BUS + "Subscribe", {"aspects": ["battery"], "domains": ["app/*"]}, more),
        (BUS + "Subscribe", {"initial": "yes"}, more),
        (BUS + "Subscribe", {"aspects": [f"org.opinion.many.n{n}" for n in range(65)]}, more),
        (BUS + "Subscribe", {"policies": [{"aspect": "battery", "background": "hold", "limit": 0}]}, more),
        (BUS + "Subscribe", {"policies": [{"aspect": "battery", "background": "hold", "limit": 257}]}, more),
        (BUS + "Subscribe", {"policies": [{"aspect": "battery", "background": "later"}]}, more),
        (BUS + "Subscribe", {"policies": [{"aspect": "battery", "interval": 0}]}, more),
        (BUS + "Subscribe", {"policies": [{"aspect": "battery", "interval": 31_536_000_001}]}, more),
        (BUS + "Subscribe", {"aspects": ["battery"], "policies": [{"aspect": "light", "background": "immediate"}]}, more),
        (BUS + "Subscribe", {"aspects": ["lifecycle"], "policies": [{"aspect": "lifecycle", "background": "immediate"}]}, more),
        (BUS + "Subscribe", {"aspects": ["battery"], "policies": [{"aspect": "battery", "background": "end"}]}, more),
        (BUS + "Subscribe", {"aspects": ["battery"], "resume": [{"aspect": "battery"}]}, more),
        (BUS + "SetState", {"subscription": "0000000000000000", "state": "background"}, {}),
        (BUS + "SetState", {"subscription": "", "state": "suspended"}, {}),
        (BUS + "SetState", {"subscription": "0000000000000000", "state": "terminating"}, {}),
        (BUS + "SetState", {"subscription": "0000000000000000", "state": "background", "wakeAfter": 0}, {}),
        (BUS + "SetState", {"subscription": "0000000000000000", "state": "background", "wakeAfter": 31_536_000_001}, {}),
        (BUS + "SetState", {"state": "background"}, {}),
        (BUS + "GetState", {"aspects": ["lifecycle"]}, {}),
        (BUS + "GetState", {"aspects": []}, {}),
        (BUS + "GetState", {"aspects": "battery"}, {}),
        (BUS + "GetState", {"aspects": [1]}, {}),
        (BUS + "GetState", {"aspects": [f"org.opinion.many.n{n}" for n in range(65)]}, {}),
        (BUS + "GetHistory", {"aspect": "org.opinion.*"}, {}),
        (BUS + "GetHistory", {"aspect": "lifecycle"}, {}),
        (BUS + "GetHistory", {"aspect": "battery", "limit": 0}, {}),
        (BUS + "GetHistory", {"aspect": "battery", "limit": 1.5}, {}),
        (BUS + "GetHistory", {}, {}),
        (BUS + "Post", {}, {}),
        (BUS + "Post", {"battery": {"state": "full"}}, {}),
        (BUS + "Post", {"proximity": {"state": "near"}, "light": {"lux": 1}}, {}),
        (BUS + "Post", {"folders": {"folders": []}}, {}),
        (BUS + "BeginTask", {"subscription": "0000000000000000", "name": "x"}, more),
        (BUS + "BeginTask", {"subscription": "0000000000000000", "name": "x"}, {}),
        (BUS + "BeginTask", {"subscription": "0000000000000000", "name": ""}, more),
        (BUS + "Nothing", {}, {}),
        (BUS + "Refresh", {"now": True}, {}),
        (BUS + "GetState", {}, {"upgrade": True}),
        ("org.nobody.Here", {}, {}),
        ("org.varlink.service.GetInterfaceDescription", {"interface": "org.nobody"}, {}),
        ("org.reveille.Device.Check", {"capabilities": ["battery", "nonsense", "publish", NAMES[0], "org.opinion.*"]}, {}),
        (SCHEDULE + "Cancel", {"id": "never added"}, {}),
        (SCHEDULE + "Add", {"entry": {"id": "x", "aspect": NAMES[0]}}, {}),
        (SCHEDULE + "Add", {"entry": {"id": "x", "aspect": NAMES[0], "every": 999}}, {}),
        (SCHEDULE + "Add", {"entry": {"id": "x", "aspect": "battery", "every": 1_000}}, {}),
        (SCHEDULE + "Add", {"entry": {"id": "x", "aspect": NAMES[0], "every": 1_000, "calendar": {"hour": 1}}}, {}),
        (SCHEDULE + "Add", {"entry": {"id": "x", "aspect": NAMES[0], "calendar": {}}}, {}),
        (SCHEDULE + "Add", {"entry": {"id": "x", "aspect": NAMES[0], "calendar": {"hour": 24}}}, {}),
        (SCHEDULE + "Add", {"entry": {"id": "x", "aspect": NAMES[0], "calendar": {"day": -1}, "zone": "Nowhere/City"}}, {}),
    ]
    return chance.choice(calls)


def nested(depth: int) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for _ in range(depth - 1):
        result = {"d": result}
    return result


GARBAGE = [
    b"}{\0", b"[]\0", b'{"method":1}\0', b'{"parameters":{}}\0', b'{"method":"org.reveille.Bus.GetState","more":1}\0',
    b'{"method":"org.reveille.Bus.GetState","unknown":1}\0', b'\xff\xfe\0', b"\0",
    b'{"method":"org.reveille.Bus.GetState","more":true,"oneway":true}\0', b'{"method":"org.reveille.Bus.Pub',
    b'{"method":"' + b"x" * 70_000, b'{"method":"org.reveille.Bus.GetState","parameters":' + b'{"a":' * 40,
]


def matches(pattern: str, name: str) -> bool:
    """Whether an aspect or pattern of a subscription includes an aspect."""
    return name == pattern or pattern.endswith(".*") and name.startswith(pattern[:-1])
