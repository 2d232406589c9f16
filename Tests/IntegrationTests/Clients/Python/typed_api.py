# SPDX-License-Identifier: Apache-2.0
"""Uses the types of reveille.py. Type checkers read this program in their strict modes; it does not run."""
from collections.abc import AsyncIterator
from datetime import datetime, timedelta, timezone
from typing import Any, TypedDict, assert_type

import reveille


class Volume(TypedDict):
    level: float


def is_low(event: reveille.Event) -> bool:
    assert_type(event.state, Any)
    battery: reveille.Battery = event.state
    assert_type(battery["state"], reveille.BatteryState)
    assert_type(battery["packs"][0]["level"], float | None)
    return battery["chargeStatus"] == "discharging" and (battery["level"] or 0) < 0.1


def blocking() -> None:
    policies = {"battery": reveille.Policy(background="hold", limit=10), "lifecycle": reveille.Policy(background="end")}
    options: reveille.SubscriptionOptions = {"initial": True, "policies": policies}
    with reveille.connect() as bus, bus.subscribe("battery", **options) as events:
        assert_type(events.next(timeout=1), reveille.Event | None)
        assert_type([is_low(event) for event in events], list[bool])
        assert_type(events.positions, reveille.Positions)
        for batch in events.batches():
            assert_type(batch, list[reveille.Event])
        events.enter_background(wake_after=timedelta(minutes=1))
        bus.enter_background(wake_after=60)
        events.become_inactive()
        with events.task("upload") as task:
            assert_type(task.remaining(), float | None)
        volume: Volume = {"level": 0.4}
        assert_type(bus.publish("org.example.volume", volume, while_connected=True), reveille.Revision)
        near: reveille.Proximity = {"state": "near"}
        bus.post("proximity", near)
        assert_type(bus.get_all("battery"), list[reveille.Event])
        assert_type(bus.history("battery", limit=10), list[reveille.Event])
        for subscription in bus.subscriptions():
            assert_type(subscription["held"], list[reveille.HoldReason])
            assert_type(subscription.get("tasks"), list[reveille.TaskInfo] | None)
            bus.hold(subscription["subscription"], wake_after=60)
        for changes in bus.subscription_changes():
            assert_type(changes.subscriptions[0]["held"], list[reveille.HoldReason])
            assert_type(changes.ended, list[str])
        for needed in bus.demand("org.example.volume", "org.example.track"):
            assert_type(needed, set[str])
        for is_reachable in bus.connection_states():
            assert_type(is_reachable, bool)
        assert_type([aspect["reason"] for aspect in bus.aspects()], list[str | None])
        assert_type(bus.info()["model"], str | None)
        assert_type(bus.check("publish")["answer"], reveille.CapabilityWord)
        assert_type(bus.check_all("publish", "wake"), list[reveille.CapabilityAnswer])
        at = datetime(2030, 1, 1, tzinfo=timezone.utc)
        weekly: reveille.CalendarRule = {"weekdays": [1], "hour": 7}
        entry = bus.schedule("tea", "org.example.tea", calendar=weekly, until=at, wake=True)
        assert_type(entry["next"], datetime | None)
        assert_type([scheduled.get("at") for scheduled in bus.scheduled()], list[datetime | None])


def is_away(error: reveille.ReveilleError) -> bool:
    assert_type(error.code, reveille.Code)
    assert_type(error.error, str | None)
    return error.code == "no_bus"


async def levels() -> AsyncIterator[float]:
    async with reveille.connect_async() as bus, bus.subscribe("org.example.volume") as events:
        assert_type(await events.next(timeout=1), reveille.Event | None)
        async with events.task("upload") as task:
            assert_type(task.failure, reveille.ReveilleError | None)
        assert_type(await bus.get("battery"), reveille.Event)
        await bus.enter_background(wake_after=timedelta(minutes=1))
        async for event in events:
            volume: Volume | None = event.state
            if volume:
                yield volume["level"]
