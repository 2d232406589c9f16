# SPDX-License-Identifier: Apache-2.0
"""A typed client of the bus at the path in its argument; prints "passed" if every reply matches its type."""

import asyncio
import collections.abc
import dataclasses
import enum
import sys
import typing

from asyncvarlink import TypedVarlinkErrorReply, VarlinkClientProtocol, VarlinkInterface
from asyncvarlink import connect_unix_varlink, varlinkmethod
from asyncvarlink.serviceinterface import VarlinkServiceInterface


class State(enum.Enum):
    near = "near"
    far = "far"
    unknown = "unknown"


@dataclasses.dataclass
class Proximity:
    state: State


class Event(typing.TypedDict):
    aspect: str
    generation: int
    sequence: int
    changes: int
    netChange: bool
    firstChangedAt: int
    changedAt: int
    dropped: int
    proximity: Proximity


class Started(typing.TypedDict):
    subscription: str | None
    instance: str | None
    resumed: bool | None
    events: list[Event]


class NoSuchSubscription(TypedVarlinkErrorReply, interface="org.reveille.Bus"):
    class Parameters:
        subscription: str


class Bus(VarlinkInterface, name="org.reveille.Bus"):
    errors = (NoSuchSubscription,)

    @varlinkmethod
    def Subscribe(self, *, aspects: list[str], initial: bool) -> collections.abc.Iterator[Started]: ...

    @varlinkmethod
    def SetState(self, *, subscription: str, state: str) -> None: ...

    @varlinkmethod
    def Post(self, *, proximity: Proximity) -> typing.TypedDict("Posted", {"generation": int, "sequence": int}): ...

    @varlinkmethod
    def Refresh(self) -> None: ...


async def main() -> None:
    transport, stream = await connect_unix_varlink(VarlinkClientProtocol, sys.argv[1])
    control_transport, control = await connect_unix_varlink(VarlinkClientProtocol, sys.argv[1])
    bus = control.make_proxy(Bus)
    info = await control.make_proxy(VarlinkServiceInterface).GetInfo()
    assert "org.reveille.Bus" in info["interfaces"], info
    replies = stream.make_proxy(Bus).Subscribe(aspects=["proximity"], initial=True)
    first = await anext(replies)
    assert first["subscription"] and first["instance"], first
    assert [event["changes"] for event in first["events"]] == [0], first
    assert first["events"][0]["proximity"].state == State.unknown, first

    posted = await bus.Post(proximity=Proximity(State.near))
    event = (await anext(replies))["events"][0]
    assert (event["proximity"].state, event["changes"]) == (State.near, 1), event
    assert event["generation"] == posted["generation"], (event, posted)

    await bus.SetState(subscription=first["subscription"], state="background")
    for state in (State.far, State.near, State.far):
        await bus.Post(proximity=Proximity(state))
    await bus.SetState(subscription=first["subscription"], state="foreground")
    event = (await anext(replies))["events"][0]
    assert (event["proximity"].state, event["changes"]) == (State.far, 3), event

    try:
        await bus.SetState(subscription="0000", state="background")
    except NoSuchSubscription as error:
        assert error.parameters["subscription"] == "0000", error
    else:
        raise AssertionError("no error")
    await bus.Refresh()
    transport.close()
    control_transport.close()
    print("passed")


asyncio.run(main())
