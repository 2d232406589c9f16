"""A subscriber in a process of its own, for suspending: after each event, it writes its states as a line of JSON."""
from __future__ import annotations

import json
import pathlib
import sys
import types
import typing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import history
import program
import subscriber
import world


def main() -> None:
    place = world.World(program.NONE, seconds=3600, directory=pathlib.Path(sys.argv[3]))
    bus = typing.cast(typing.Any, types.SimpleNamespace(place=place, path=sys.argv[1], history=history.History()))
    reader = subscriber.Subscriber(bus, "patient", sys.argv[2].split(","))
    count, known = 0, ""

    def report() -> bool:
        nonlocal count, known
        if len(reader.events) != count or reader.subscription != known:
            count, known = len(reader.events), reader.subscription
            lifecycle = [event["lifecycle"]["state"] for event in reader.events if event["aspect"] == "lifecycle"]
            print(json.dumps({"subscription": known, "values": reader.positions.values, "lifecycle": lifecycle}), flush=True)
        return False
    try:
        place.wait("nothing", report)
    except world.Broken as broken:
        print(json.dumps({"broken": [broken.kind, str(broken)]}), flush=True)


if __name__ == "__main__":
    main()
