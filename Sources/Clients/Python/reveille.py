# SPDX-License-Identifier: Apache-2.0
"""A client of the notification bus Reveille, for Python 3.11 and later, with the standard library only.

    import reveille

    with reveille.connect() as bus, bus.subscribe("battery", "org.example.*") as events:
        for event in events:
            print(event.aspect, event.state, event.changes)

With asyncio:

    async with reveille.connect_async() as bus, bus.subscribe("battery") as events:
        async for event in events:
            print(event.aspect, event.state, event.changes)

A subscription in the background receives nothing. When it wakes, it receives one event for each aspect that changed. If
the bus restarts, a subscription reconnects and continues from its positions. Values that are published while connected
are published again, and tasks begin again: a thread, or with asyncio a task, waits for the bus while there are any.
"""

from __future__ import annotations

import asyncio
import dataclasses
import errno
import functools
import inspect
import json
import logging
import math
import os
import random
import re
import select
import signal
import socket
import sys
import threading
import time
import typing
import weakref
from collections.abc import AsyncIterator, Callable, Collection, Generator, Iterable, Iterator, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any, Concatenate, Generic, Literal, ParamSpec, Protocol, Self, TypeAlias, TypeVar, Unpack

__all__ = [
    "AsyncBackgroundTask", "AsyncBus", "AsyncSubscription", "BackgroundTask", "Bus", "CalendarRule", "Code", "Duration",
    "Event", "Policy", "Positions", "ReveilleError", "Revision", "ScheduleOptions", "ScheduledEntry", "Subscription",
    "SubscriptionChanges", "SubscriptionOptions", "connect", "connect_async", "launch_positions",
]

# The longest reply in bytes, as in the Swift library. Replies grow with the user's settings.
REPLY_LIMIT = 64 << 20
# The longest call in bytes that the bus accepts by default. Longer ones end the connection without an answer.
CALL_LIMIT = 65_536
# Seconds to wait for room in the queue of the bus: a working bus accepts within milliseconds.
CONNECT_TIMEOUT = 5.0
# Seconds to wait for a reply: the bus itself waits up to a second for a sensor.
REPLY_TIMEOUT = 10.0
# Seconds to wait for a suspension: for the longest tasks, for the events to be read, and for the system.
SUSPENSION_TIMEOUT = 240.0
# The pauses in seconds between attempts to reach a bus that is gone: a bus that is replaced is back within tens of
# milliseconds, and a delay of two seconds goes unnoticed after a longer absence.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.02, 2.0
# The deepest nesting of objects and arrays in a published value. In a list of replies, five more levels surround it.
VALUE_DEPTH_LIMIT = 27
# The longest name of a published state, and the longest pattern, in bytes.
NAME_LIMIT = 255
# The range of wake_after, and of the interval of a policy, in seconds: a millisecond to a year.
DURATION_RANGE = (0.001, 31_536_000.0)
# The longest that one wait lasts before it is repeated; poll(2) takes milliseconds as a 32-bit integer.
_LONGEST_WAIT = 3_600.0
# The size of one read.
_CHUNK = 65_536

_INTERFACE = "org.reveille.Bus"
_DEVICE = "org.reveille.Device"
_SCHEDULE = "org.reveille.Schedule"
_SERVICE = "org.varlink.service"
_SYSTEM_BUS = "/run/reveille/org.reveille.Bus"
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

_LOG = logging.getLogger("reveille")

_T = TypeVar("_T")
_P = ParamSpec("_P")

# Seconds, or a timedelta. What the client returns is in seconds. Moments are datetimes: in UTC if the client returns
# them, and local if they are given without a time zone.
Duration: TypeAlias = float | timedelta


# --- Types that generate-types writes

# The words of this version. A later bus has further ones, which are passed on as they are.
BackgroundPolicy: TypeAlias = Literal["coalesce", "hold", "drop", "immediate", "end"]
BatteryState: TypeAlias = Literal["unknown", "unplugged", "charging", "full"]
BatterySupply: TypeAlias = Literal["mains", "usb", "wireless"]
CapabilityWord: TypeAlias = Literal["yes", "no", "unknown"]
ChargeStatus: TypeAlias = Literal["unknown", "charging", "discharging", "notCharging", "full"]
HoldReason: TypeAlias = Literal["app", "operator", "frozen", "unread"]
LifecycleState: TypeAlias = Literal["active", "inactive", "background", "suspended", "terminating"]
MissedFirings: TypeAlias = Literal["fire", "skip"]
NetworkKind: TypeAlias = Literal["ethernet", "wifi", "cellular", "other"]
Pose: TypeAlias = Literal[
    "unknown", "portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown",
]
ProximityState: TypeAlias = Literal["near", "far", "unknown"]
SleepState: TypeAlias = Literal["awake", "preparing"]
UprightPose: TypeAlias = Literal["portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight"]


class Locale(typing.TypedDict):
    identifier: str
    languages: list[str]
    numeric: str
    time: str
    monetary: str
    measurement: str


class DefaultsDomain(typing.TypedDict):
    domain: str
    path: str
    keys: list[str]
    opaque: bool


class Defaults(typing.TypedDict):
    domains: list[DefaultsDomain]


class BatteryPack(typing.TypedDict):
    name: str
    level: float | None
    chargeStatus: ChargeStatus


class Battery(typing.TypedDict):
    state: BatteryState
    level: float | None
    plugged: bool | None
    chargeStatus: ChargeStatus
    packs: list[BatteryPack]
    supply: typing.NotRequired[BatterySupply | None]


class Proximity(typing.TypedDict):
    state: ProximityState


class Orientation(typing.TypedDict):
    pose: Pose
    planar: UprightPose | None


class Lifecycle(typing.TypedDict):
    state: LifecycleState


class Vector(typing.TypedDict):
    x: float
    y: float
    z: float


class Motion(typing.TypedDict):
    acceleration: Vector | None
    rotation: Vector | None
    takenAt: int


class Shake(typing.TypedDict):
    peak: float


class Light(typing.TypedDict):
    lux: float | None


class Screen(typing.TypedDict):
    name: str
    width: int
    height: int
    widthMM: int | None
    heightMM: int | None
    scale: float | None


class Display(typing.TypedDict):
    screens: list[Screen]
    brightness: float | None


class Network(typing.TypedDict):
    reachable: bool
    interface: str | None
    kind: NetworkKind | None
    addresses: list[str]


Rename = typing.TypedDict("Rename", {"from": str, "to": str})


class PowerPack(typing.TypedDict):
    name: str
    vendor: str | None
    model: str | None
    technology: str | None
    energy: float | None
    energyFull: float | None
    energyFullDesign: float | None
    power: float | None
    voltage: float | None
    temperature: float | None
    cycles: int | None


class Power(typing.TypedDict):
    power: float | None
    energy: float | None
    energyFull: float | None
    health: float | None
    timeToEmpty: int | None
    timeToFull: int | None
    packs: list[PowerPack]


class Folder(typing.TypedDict):
    name: str
    path: str
    added: list[str]
    removed: list[str]
    changed: list[str]
    renamed: list[Rename]
    rescan: bool


class Folders(typing.TypedDict):
    folders: list[Folder]


class Sleep(typing.TypedDict):
    state: SleepState
    sleptFor: float | None


class Switches(typing.TypedDict):
    lidClosed: bool | None
    tabletMode: bool | None
    docked: bool | None


class LogLine(typing.TypedDict):
    event: Event | None
    aspect: str | None
    watched: bool | None
    since: int | None


class Pending(typing.TypedDict):
    aspect: str
    changes: int


class TaskInfo(typing.TypedDict):
    name: str
    remaining: int | None


class SubscriptionInfo(typing.TypedDict):
    subscription: str
    name: typing.NotRequired[str | None]
    pid: int
    uid: int
    aspects: list[str]
    held: list[HoldReason]
    pending: list[Pending]
    events: int
    changes: int
    lifecycle: typing.NotRequired[LifecycleState | None]
    tasks: typing.NotRequired[list[TaskInfo] | None]


class AspectInfo(typing.TypedDict):
    aspect: str
    available: bool
    monitored: bool
    source: str | None
    reason: str | None


class DeviceInfo(typing.TypedDict):
    name: str
    model: str | None
    vendor: str | None
    chassis: str | None
    system: str
    systemVersion: str
    kernel: str
    identifier: str
    processors: int
    frequency: int | None
    memory: int


class CapabilityAnswer(typing.TypedDict):
    capability: str
    answer: CapabilityWord
    reason: str | None


__all__ += [
    "AspectInfo", "BackgroundPolicy", "Battery", "BatteryPack", "BatteryState", "BatterySupply", "CapabilityAnswer",
    "CapabilityWord", "ChargeStatus", "Defaults", "DefaultsDomain", "DeviceInfo", "Display", "Folder", "Folders",
    "HoldReason", "Lifecycle", "LifecycleState", "Light", "Locale", "LogLine", "MissedFirings", "Motion", "Network",
    "NetworkKind", "Orientation", "Pending", "Pose", "Power", "PowerPack", "Proximity", "ProximityState", "Rename",
    "Screen", "Shake", "Sleep", "SleepState", "SubscriptionInfo", "Switches", "TaskInfo", "UprightPose", "Vector",
]


# --- The end of these types


Code: TypeAlias = Literal[
    "no_bus", "closed", "timeout", "not_permitted", "quota_exceeded", "invalid_argument", "no_such_subscription",
    "no_such_entry", "cannot_suspend", "not_supported", "invalid_reply", "system",
]


class ReveilleError(Exception):
    """The failure of an operation. Its text contains the operation, its subject and the reason.

    Attributes:
        code: The kind of the failure, such as "no_bus" or "quota_exceeded". Later versions may add codes.
        error: The name of the Varlink error, such as "org.reveille.Bus.QuotaExceeded". None if the bus did not answer,
            for example because it is not running or because the call is invalid.
        parameters: The parameters of that error, such as {"quota": "names", "limit": 1024}.
    """

    def __init__(
        self, message: str, code: Code = "invalid_argument", error: str | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code: Code = code
        self.error = error
        self.parameters: dict[str, Any] = dict(parameters or {})


def _is_loss(error: ReveilleError) -> bool:
    """Returns whether another connection may succeed."""
    return error.error is None and error.code in ("no_bus", "timeout", "not_permitted", "system")


class Positions(typing.TypedDict):
    """The last event of each aspect that a subscriber has seen: store them as JSON to resume later.

    The Swift library and `reveille watch --state` use the same format.
    """

    instance: str
    generations: dict[str, int]
    # The domains of the settings whose changes the generation of defaults counts, if not of all.
    domains: typing.NotRequired[list[str]]


@dataclasses.dataclass(frozen=True, slots=True)
class Event:
    """The changes of one aspect since the subscriber's last event of it.

    Attributes:
        aspect: "battery", or the name of a published state, such as "org.example.volume".
        generation: Grows by one with each change of the aspect.
        sequence: Grows with each change on the bus.
        changes: The number of changes that the event stands for; 0 for a current state that was requested.
        net_change: Whether the state differs from the last one that this subscriber received.
        first_changed_at: The time of the first of the changes, in UTC.
        changed_at: The time of the last change, in UTC.
        dropped: The number of further changes, for which the policy "hold" had no room.
        state: The state now: the structure with the name of the aspect, such as Battery, or the published value. None
            if the value was withdrawn. For a type checker, annotate it: `battery: reveille.Battery = event.state`.
    """

    aspect: str
    generation: int
    sequence: int
    changes: int
    net_change: bool
    first_changed_at: datetime
    changed_at: datetime
    dropped: int
    state: Any


@dataclasses.dataclass(frozen=True, slots=True)
class Revision:
    """The position of a state: the generation counts the changes of its aspect, the sequence those of all aspects."""

    generation: int
    sequence: int


@dataclasses.dataclass(frozen=True, slots=True)
class SubscriptionChanges:
    """The subscriptions that began or changed, as they are now, and the identifiers of ended ones."""

    subscriptions: list[SubscriptionInfo]
    ended: list[str]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The treatment of an aspect's changes in the background.

    Attributes:
        background: "coalesce" (the default: the changes become one event on wake), "hold" (each change is kept, the
            newest `limit` of them), "drop" (they are discarded), "immediate" (they are delivered in the background).
            For "lifecycle" alone, "end": going to the background ends the program.
        limit: For "hold", the number of changes to keep.
        net_change_only: Whether a state that changed and changed back is not delivered.
        interval: The minimum time between two events: a millisecond to a year. Changes within it are merged.

    Raises:
        ReveilleError: The limit or the interval is invalid.
    """

    background: BackgroundPolicy | None = None
    limit: int | None = None
    net_change_only: bool = False
    interval: Duration | None = None

    def __post_init__(self) -> None:
        if self.limit is not None and (type(self.limit) is not int or self.limit < 1):
            raise ReveilleError(f"Policy: the limit must be a whole number from 1, not {self.limit!r}")
        _duration("Policy: the interval", self.interval)


class SubscriptionOptions(typing.TypedDict, total=False):
    """The options of a subscription.

    Attributes:
        name: A name for `reveille status`; by default REVEILLE_NAME, which `reveille run --name` sets.
        initial: Whether to deliver the current state of each aspect first, as events whose `changes` are 0.
        background: Whether to start in the background.
        policies: The treatment of changes, by aspect or pattern.
        resume: The positions of an earlier subscription: changes since then are delivered first. If they are unknown to
            the bus, the current states are delivered instead.
        domains: The domains of the settings to which `defaults` is limited: names ("app/settings"), patterns ("app/*"),
            and directories of keys ("dconf:/org/gnome/desktop/interface/"). Others are neither delivered nor counted.
    """

    name: str | None
    initial: bool
    background: bool
    policies: Mapping[str, Policy] | None
    resume: Positions | None
    domains: Collection[str] | None


class CalendarRule(typing.TypedDict, total=False):
    """The parts of the calendar that must match: {"hour": 7, "minute": 30} is 07:30 of each day; weekday 1 is Monday."""

    month: int | None
    day: int | None
    weekdays: list[int] | None
    hour: int | None
    minute: int | None
    second: int | None


class ScheduleOptions(typing.TypedDict, total=False):
    """When the bus publishes a scheduled value.

    Attributes:
        at: The only time; with `every` or `calendar`, the earliest one.
        every: The interval, at least a second.
        calendar: The parts of the calendar that must match. Instead of `every`.
        zone: The time zone of the calendar, by default the device's.
        until: The time after which the entry does not fire.
        if_missed: "fire" (the default) or "skip", for firings that pass while the device is off or asleep.
        grace: The delay beyond which such a firing is skipped.
        wake: Whether the device wakes from its sleep for the next firing, if it can; check("wake") tells.
        launch: The command that the bus starts if the name has no subscriber; see launch_positions().
    """

    at: datetime | None
    every: Duration | None
    calendar: CalendarRule | None
    zone: str | None
    until: datetime | None
    if_missed: MissedFirings | None
    grace: Duration | None
    wake: bool
    launch: Collection[str] | None


class ScheduledEntry(ScheduleOptions):
    """An entry on the schedule, with the options that it was given.

    Attributes:
        next: The time of the next firing; None if there will be none.
        fired: The number of firings so far.
    """

    id: str
    name: str
    value: dict[str, Any]
    next: datetime | None
    fired: int


# --- Waiting
#
# All operations are generators on nonblocking sockets. They yield what they wait for; _run() waits by blocking, and
# _run_async() waits in asyncio's loop. Both kinds of API are therefore the same code.
#
# A signal handler can raise an exception at any line, and a task of asyncio can be cancelled in any wait. An exception
# in a wait leaves everything as it was, except that a suspension goes on. Any other one leaves a connection that is not whole, and is replaced.


class _Signal(Protocol):
    """A threading.Event or an asyncio.Event."""

    def set(self) -> None: ...
    def wait(self) -> Any: ...


@dataclasses.dataclass(frozen=True, slots=True)
class _Ready:
    """A wait until a descriptor is ready or a time has come. It may end early."""

    until: float
    reading: tuple[int, ...] = ()
    writing: tuple[int, ...] = ()

    @property
    def seconds(self) -> float:
        return min(_LONGEST_WAIT, max(0.0, self.until - time.monotonic()))


_Steps: TypeAlias = Generator["_Ready | _Signal", None, _T]


class _Turns:
    """A lock for steps. No exception leaves it held: the queue itself says who has it, and leaving can be repeated."""

    def __init__(self, new_signal: Callable[[], _Signal]) -> None:
        self._new_signal = new_signal
        self._process = os.getpid()
        # The first has the lock; the others wait for their signals.
        self._queue: list[_Signal] = []

    @property
    def is_held(self) -> bool:
        return bool(self._queue)

    @property
    def is_foreign(self) -> bool:
        """Whether this process is a forked child: it shares its connections with the parent that opened them."""
        return self._process != os.getpid()

    def check_process(self) -> None:
        if self.is_foreign:
            raise ReveilleError(f"process {self._process} made this connection: connect again after a fork", "closed")

    def hold(self, steps: Callable[[], _Steps[_T]]) -> _Steps[_T]:
        self.check_process()
        own = self._new_signal()
        # Twice, since an exception can come before the first attempt.
        try:
            return (yield from self._hold(own, steps))
        finally:
            self._leave(own)

    def _hold(self, own: _Signal, steps: Callable[[], _Steps[_T]]) -> _Steps[_T]:
        try:
            self._queue.append(own)
            while self._queue[0] is not own:
                yield own
            return (yield from steps())
        finally:
            self._leave(own)

    def _leave(self, own: _Signal) -> None:
        # Nobody else removes it. The search compares identities.
        if own in self._queue:
            self._queue.remove(own)
        for first in self._queue[:1]:
            first.set()

    def run(self, action: Callable[[], _T]) -> _T:
        """Runs an action that does not wait."""

        def steps() -> _Steps[_T]:
            return action()
            yield

        return _run(self.hold(steps))


def _run(steps: _Steps[_T]) -> _T:
    try:
        return _drive(steps)
    finally:
        # An exception between two steps.
        steps.close()


def _drive(steps: _Steps[_T]) -> _T:
    try:
        wait = next(steps)
        while True:
            try:
                _block(wait)
            except BaseException as error:  # KeyboardInterrupt, or an exception of a signal handler
                wait = steps.throw(error)
            else:
                wait = next(steps)
    except StopIteration as stop:
        return typing.cast(_T, stop.value)


def _block(wait: _Ready | _Signal) -> None:
    if not isinstance(wait, _Ready):
        wait.wait()
        return
    poll = select.poll()
    for number in wait.reading:
        poll.register(number, select.POLLIN)
    for number in wait.writing:
        poll.register(number, select.POLLOUT)
    poll.poll(math.ceil(wait.seconds * 1_000))


async def _run_async(steps: _Steps[_T]) -> _T:
    try:
        return await _drive_async(steps)
    finally:
        steps.close()


async def _drive_async(steps: _Steps[_T]) -> _T:
    try:
        wait = next(steps)
        while True:
            try:
                await _suspend(wait)
            except BaseException as error:  # CancelledError
                wait = steps.throw(error)
            else:
                wait = next(steps)
    except StopIteration as stop:
        return typing.cast(_T, stop.value)


async def _suspend(wait: _Ready | _Signal) -> None:
    if not isinstance(wait, _Ready):
        await wait.wait()
        return
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def end() -> None:
        if not ready.done():
            ready.set_result(None)

    timer = loop.call_later(wait.seconds, end)
    # Readiness is awaited, rather than data: a cancelled task loses nothing that was read.
    for number in wait.reading:
        loop.add_reader(number, end)
    for number in wait.writing:
        loop.add_writer(number, end)
    try:
        await ready
    finally:
        timer.cancel()
        for number in wait.reading:
            loop.remove_reader(number)
        for number in wait.writing:
            loop.remove_writer(number)


# --- The wire


def _resolve(address: str | None) -> str:
    """Returns the address of the bus to connect to: the given one, $REVEILLE_ADDRESS, or the first usual one that is
    served."""
    address = address if address is not None else os.environ.get("REVEILLE_ADDRESS")
    if address is not None:
        _path(address)
        return address
    usual = [_SYSTEM_BUS]
    if os.geteuid() != 0:
        directory = os.environ.get("XDG_RUNTIME_DIR", "")
        # The XDG Base Directory Specification requires relative paths to be ignored.
        if not directory.startswith("/"):
            directory = f"/run/user/{os.geteuid()}"
        usual.insert(0, f"{directory}/reveille/org.reveille.Bus")
    present = [path for path in usual if os.path.exists(path)]
    if not present:
        raise _no_bus(" or ".join(f"unix:{path}" for path in usual))
    return "unix:" + next((path for path in present if _is_served(path)), present[0])


def _path(address: str) -> str:
    path = address.removeprefix("unix:").partition(";")[0]
    if path == address or not path.startswith("/") or "\0" in path:
        raise ReveilleError(f"{address!r} is not an address: it must be unix: and an absolute path")
    return path


def _is_served(path: str) -> bool:
    """Returns whether a process listens: a bus that was killed leaves its socket behind."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as probe:
            probe.connect(path)
    except OSError as error:
        return error.errno not in (errno.ECONNREFUSED, errno.ENOENT)
    return True


def _no_bus(places: str) -> ReveilleError:
    manager, option = ("system", "") if os.geteuid() == 0 else ("user", "--user ")
    advice = "is 'reveille serve' running?"
    # The address of the units, by its name.
    if places.endswith("/reveille/org.reveille.Bus") and os.path.exists(f"/usr/lib/systemd/{manager}/reveille.socket"):
        advice = f"start it with 'systemctl {option}start reveille.socket'"
    return ReveilleError(f"there is no bus at {places}; {advice}", "no_bus")


@dataclasses.dataclass(frozen=True, slots=True)
class _Reply:
    parameters: dict[str, Any]
    error: str | None
    continues: bool

    @classmethod
    def parse(cls, frame: bytes | bytearray) -> _Reply:
        try:
            reply: object = json.loads(frame.decode())
        except (ValueError, RecursionError) as reason:
            raise _invalid(f"not JSON: {reason}") from None
        if not _is_object(reply):
            raise _invalid("not an object")
        parameters, error, continues = reply.get("parameters"), reply.get("error"), reply.get("continues")
        if not (
            (parameters is None or _is_object(parameters)) and isinstance(error, str | None)
            and isinstance(continues, bool | None)
        ):
            raise _invalid("a member has the wrong type")
        return cls(parameters or {}, error, continues or False)


def _is_object(value: object) -> typing.TypeGuard[dict[str, Any]]:
    """Returns whether a value from the bus is a JSON object."""
    return isinstance(value, dict)


def _unanswered(method: str, patience: float = REPLY_TIMEOUT) -> ReveilleError:
    return ReveilleError(f"{method}: the bus did not answer within {patience:g} seconds", "timeout")


def _invalid(reason: str) -> ReveilleError:
    return ReveilleError(f"the bus sent an invalid reply: {reason}", "invalid_reply")


def _encode(method: str, parameters: Mapping[str, Any], subject: str = "", flag: str | None = None) -> bytes:
    name = method if "." in method else f"{_INTERFACE}.{method}"
    call: dict[str, Any] = {"method": name, "parameters": parameters}
    if flag:
        call[flag] = True
    try:
        return json.dumps(call, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\0"
    except (TypeError, ValueError, RecursionError) as error:
        raise ReveilleError(f"{_attempt(method, subject)}: the parameters cannot be written as JSON: {error}") from None


def _again(call: bytes) -> bytes:
    """Returns a Publish for the next connection, which leaves a newer value that lasts as it is."""
    parameters = json.loads(call[:-1])["parameters"]
    return _encode("Publish", {**parameters, "again": True}, parameters["aspect"])


def _excess(call: bytes) -> str | None:
    """Returns why a bus may not answer a call; None if the call is not too long for a bus with the usual limit."""
    length = len(call) - 1
    return f"the call has {length} bytes, and a bus accepts at most {CALL_LIMIT}" if length > CALL_LIMIT else None


def _attempt(method: str, subject: str) -> str:
    """Returns the operation and its subject, for errors."""
    name = method.rpartition(".")[2] if method.startswith("org.reveille.") else method
    return f"{name} {subject}" if subject else name


def _check_object(method: str, subject: str, field: str, value: object) -> None:
    """Refuses what the bus would not answer, or would understand as something else."""
    if not _is_object(value):
        raise ReveilleError(f"{method} {subject}: the {field} must be an object, not {value!r}")
    if fault := _fault(value, VALUE_DEPTH_LIMIT):
        raise ReveilleError(f"{method} {subject}: the {field} {fault}")


def _fault(value: object, depth: int) -> str | None:
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return f"has the number {value}, which is not of 64 bits"
    members = list(value.values()) if _is_object(value) else value
    if not isinstance(members, (list, tuple)):
        return None
    if depth == 0:
        return f"is nested deeper than {VALUE_DEPTH_LIMIT} levels"
    faults = (_fault(member, depth - 1) for member in typing.cast(Iterable[object], members))
    return next(filter(None, faults), None)


def _texts(subject: str, texts: object) -> list[str]:
    """Returns a list of at least one string; refuses anything else."""
    is_list = isinstance(texts, Collection) and not isinstance(texts, str)
    entries = list(typing.cast(Iterable[object], texts)) if is_list else []
    wrong = [entry for entry in entries if not isinstance(entry, str)]
    if wrong or not entries:
        raise ReveilleError(f"{subject} must be one or more strings, not {(wrong or [texts])[0]!r}")
    return typing.cast("list[str]", entries)


def _seconds(duration: Duration) -> float:
    return duration.total_seconds() if isinstance(duration, timedelta) else duration


_CONNECT_CODES: dict[int | None, Code] = {
    errno.EACCES: "not_permitted", errno.EPERM: "not_permitted",
    errno.EMFILE: "system", errno.ENFILE: "system", errno.ENOMEM: "system",
}


def _duration(subject: str, duration: Duration | None) -> float | None:
    """Returns the seconds of a duration within the limits of the bus; refuses any other one."""
    if duration is None:
        return None
    seconds: Any = _seconds(duration)
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not is_number or not DURATION_RANGE[0] <= seconds <= DURATION_RANGE[1]:
        raise ReveilleError(f"{subject} must be from a millisecond to a year, in seconds, not {duration!r}")
    return float(seconds)


class _Connection:
    """A connection to the bus. It reads when a reply is wanted, and not before: the bus merges what was not read."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._output = bytearray()
        self._input = bytearray()
        self._searched = 0
        # Whether another call may follow: an exception has not come in the midst of one, unless it waited.
        self.is_whole = True
        # What to do with each reply that has not been read. The caller may have been interrupted.
        self.owed: list[Callable[[_Reply], None]] = []

    @staticmethod
    def open(address: str) -> _Steps[_Connection]:
        path, until = _path(address), time.monotonic() + CONNECT_TIMEOUT
        pause = _Backoff()
        while True:
            connecting = None
            try:
                connecting = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
                connecting.connect(path)
                return _Connection(connecting)
            except BaseException as error:
                if connecting is not None:
                    connecting.close()
                if isinstance(error, (FileNotFoundError, ConnectionRefusedError)):
                    raise _no_bus(address) from None
                if not isinstance(error, OSError):
                    raise
                if not isinstance(error, BlockingIOError):
                    message = f"cannot connect to {address}: {error.strerror or error}"
                    raise ReveilleError(message, _CONNECT_CODES.get(error.errno, "no_bus")) from None
            # The queue of the listener is full.
            if time.monotonic() >= until:
                raise ReveilleError(f"the bus at {address} accepts no connection: its queue is full", "timeout")
            yield _Ready(time.monotonic() + pause.next())

    def send(self, data: bytes, until: float) -> _Steps[None]:
        """Sends a call. If it is interrupted, the next call sends the rest first."""
        self._output += data
        while self._output:
            try:
                del self._output[: self._socket.send(self._output)]
            except BlockingIOError:
                if time.monotonic() >= until:
                    return
                yield from self._wait(_Ready(until, writing=(self._descriptor,)))
            except OSError:
                # A reply that was sent before can still be read, for example that the quota is exceeded.
                self._output.clear()

    def receive(self, until: float) -> _Steps[_Reply | None]:
        """Returns the next reply; None if the time has come."""
        while not (reply := self.receive_available()):
            if time.monotonic() >= until:
                return None
            yield from self.wait(until)
        return reply

    def wait(self, until: float, *bells: int) -> _Steps[None]:
        """Waits until something can be received, the time has come, or a bell rings."""
        if self._input.find(0, self._searched) < 0:
            yield from self._wait(_Ready(until, reading=(self._descriptor, *bells)))

    def _wait(self, ready: _Ready) -> _Steps[None]:
        was_whole, self.is_whole = self.is_whole, True
        yield ready
        self.is_whole = was_whole

    @property
    def _descriptor(self) -> int:
        if (descriptor := self._socket.fileno()) < 0:
            raise ReveilleError("the connection to the bus was closed", "no_bus")
        return descriptor

    def receive_available(self) -> _Reply | None:
        """Returns the next reply if it has arrived."""
        while not (reply := self._next_frame()) and self._read():
            pass
        return reply

    def _read(self) -> bool:
        try:
            data = self._socket.recv(_CHUNK)
        except BlockingIOError:
            return False
        except OSError as error:
            raise ReveilleError(f"the connection to the bus failed: {error.strerror or error}", "no_bus") from None
        if not data:
            raise ReveilleError("the bus closed the connection", "no_bus")
        self._input += data
        return True

    def _next_frame(self) -> _Reply | None:
        end = self._input.find(0, self._searched)
        if (end if end >= 0 else len(self._input)) > REPLY_LIMIT:
            raise _invalid(f"longer than {REPLY_LIMIT} bytes")
        if end < 0:
            self._searched = len(self._input)
            return None
        frame = self._input[:end]
        del self._input[: end + 1]
        self._searched = 0
        return _Reply.parse(frame)

    @property
    def has_begun_reply(self) -> bool:
        """Whether a part of a reply has been received."""
        return bool(self._input)

    @property
    def has_ended(self) -> bool:
        """Whether the bus has closed the connection. Replies that it sent before may not have been read."""
        poll = select.poll()
        try:
            poll.register(self._socket, select.POLLRDHUP)
        except ValueError:
            return True
        return bool(poll.poll(0))

    def end(self) -> _Steps[None]:
        """Waits until the connection has ended, whoever uses it."""
        try:
            # A duplicate, which is still there when another thread closes the connection.
            with select.epoll() as watch, self._socket.dup() as watched:
                watch.register(watched, select.EPOLLRDHUP)
                yield _Ready(math.inf, reading=(watch.fileno(),))
        except OSError:
            pass  # It has been closed.

    def close(self) -> None:
        self._socket.close()

    def shut_down(self) -> None:
        """Ends the connection while another thread may be waiting for it."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class _Backoff:
    """The pauses between attempts to connect."""

    def __init__(self) -> None:
        self._base = SHORTEST_PAUSE

    def next(self) -> float:
        pause = self._base * random.uniform(0.5, 1)
        self._base = min(LONGEST_PAUSE, 2 * self._base)
        return pause


def _take_field(entry: Mapping[str, Any], name: str, kind: type[_T]) -> _T:
    value = entry.get(name)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise _invalid(f"{name!r} is not {kind.__name__}")
    return value


def _optional_field(entry: Mapping[str, Any], name: str, kind: type[_T]) -> _T | None:
    return None if entry.get(name) is None else _take_field(entry, name, kind)


def _objects(parameters: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    entries = typing.cast("list[object]", _take_field(parameters, name, list))
    objects = [entry for entry in entries if _is_object(entry)]
    if len(objects) < len(entries):
        raise _invalid(f"{name!r} contains something other than objects")
    return objects


def _is_published(aspect: str) -> bool:
    return "." in aspect


def _event(entry: Mapping[str, Any]) -> Event | None:
    """Returns an event; None if its state is of a kind that this version does not know."""
    aspect = _take_field(entry, "aspect", str)
    state = entry.get("value" if _is_published(aspect) else aspect)
    if state is None and not _is_published(aspect):
        return None
    if not isinstance(state, dict | None):
        raise _invalid(f"the state of {aspect} is not an object")
    return Event(
        aspect=aspect, state=state, generation=_take_field(entry, "generation", int),
        sequence=_take_field(entry, "sequence", int), changes=_take_field(entry, "changes", int),
        net_change=_take_field(entry, "netChange", bool), dropped=_take_field(entry, "dropped", int),
        first_changed_at=_time(_take_field(entry, "firstChangedAt", int)),
        changed_at=_time(_take_field(entry, "changedAt", int)))


def _time(microseconds: int) -> datetime:
    try:
        return _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:  # a clock that is set beyond the years 1 to 9999
        edge = datetime.max if microseconds > 0 else datetime.min
        return edge.replace(tzinfo=timezone.utc)


def _known_fields(aspects: Collection[str]) -> dict[str, Any]:
    """Returns the parameter for the fields of states that earlier versions of the interface lacked."""
    return {"fields": ["battery.supply"]} if "battery" in aspects else {}


def _events(parameters: Mapping[str, Any], covers: Callable[[str], bool] = lambda _: True) -> list[Event]:
    entries = _objects(parameters, "events")
    events = [_event(entry) for entry in entries if covers(_take_field(entry, "aspect", str))]
    return [event for event in events if event]


def _covers(pattern: str, aspect: str) -> bool:
    return aspect.startswith(pattern[:-1]) if pattern.endswith(".*") else aspect == pattern


def _milliseconds(duration: Duration) -> int:
    return math.ceil(_seconds(duration) * 1_000)


# --- The bus


class _BusCore:
    """The calls of a bus, over one connection. A call that finds the connection closed opens a new one."""

    def __init__(
        self, address: str | None, new_signal: Callable[[], _Signal], run_aside: Callable[[_Steps[None]], object],
    ) -> None:
        self.address = _resolve(address)
        self.new_signal = new_signal
        self.streams: weakref.WeakSet[_Closable] = weakref.WeakSet()
        # The tasks that have not ended, by identity. Unlike a WeakSet, it has a list that no other thread disturbs.
        self._tasks: weakref.WeakValueDictionary[int, _TaskCore] = weakref.WeakValueDictionary()
        self._calls = _Turns(new_signal)
        self._connection: _Connection | None = None
        # The connections of suspensions that have not ended.
        self._suspending: set[_Connection] = set()
        # The calls that publish a value while connected, by name. Each later connection begins with them.
        self._tied: dict[str, bytes] = {}
        # Newer ones, for which there was no bus.
        self._missed: dict[str, bytes] = {}
        self._run_aside = run_aside
        self._keeper: object = None
        self._is_closed = False

    def start(self) -> _Steps[None]:
        try:
            yield from self.fence()
        except BaseException:
            self.close()
            raise

    @property
    def is_foreign(self) -> bool:
        """Whether this is a child of the process that connected."""
        return self._calls.is_foreign

    def check_is_open(self, method: str) -> None:
        self._calls.check_process()
        if self._is_closed:
            raise ReveilleError(f"{method}: the bus object is closed", "closed")

    def call(
        self, method: str, parameters: Mapping[str, Any], subject: str = "", *,
        note: Callable[[bytes, bool], None] = lambda _, __: None,
    ) -> _Steps[dict[str, Any]]:
        """Returns the parameters of the reply. `note` gets the call unless it is refused, even after an exception in the
        wait for it, and whether there was a bus."""
        self.check_is_open(method)
        data = _encode(method, parameters, subject)
        excess = _excess(data)
        # No configuration allows a published value of this length, but longer calls of other methods.
        if excess and method == "Publish":
            raise ReveilleError(f"Publish {subject}: {excess}", "quota_exceeded")

        def take(reply: _Reply) -> None:
            if not reply.error:
                note(data, True)

        reply = yield from self._calls.hold(lambda: self._exchange(method, data, subject, excess, take, note))
        return _answer(reply, method, subject)

    def _exchange(
        self, method: str, data: bytes, subject: str, excess: str | None, take: Callable[[_Reply], None],
        note: Callable[[bytes, bool], None],
    ) -> _Steps[_Reply]:
        self.check_is_open(method)
        until, call, again = time.monotonic() + REPLY_TIMEOUT, data, dict[str, bytes]()
        if (last := self._connection) and not (last.is_whole and (last.owed or not last.has_ended)):
            self._disconnect()
        try:
            connection = self._connection
            if not connection:
                connection = yield from _Connection.open(self.address)
                connection.is_whole = False
                self._connection, again = connection, {**self._tied, **self._missed}
                connection.owed += [functools.partial(self._note_again, *entry) for entry in again.items()]
                data = b"".join([*again.values(), data])
            connection.is_whole = False
            connection.owed.append(take)
            yield from connection.send(data, until)
            reply: _Reply | None = None
            while connection.owed:
                try:
                    reply = yield from connection.receive(until)
                except ReveilleError as error:
                    # Another thread may have closed it.
                    self.check_is_open(method)
                    if not _is_loss(error):
                        raise
                    hint = f"; {excess} (bus.maxFrame)" if excess else ""
                    raise ReveilleError(f"{_attempt(method, subject)}: {error}{hint}", error.code) from None
                if not reply:
                    raise _unanswered(method)
                connection.owed.pop(0)(reply)
            connection.is_whole = True
        except BaseException as error:
            if isinstance(error, ReveilleError) or self._connection and not self._connection.is_whole:
                self._disconnect()
            if isinstance(error, ReveilleError) and _is_loss(error):
                # A bus could close each connection over a value that it has never accepted, such as one that is too long.
                for name in again if error.code == "no_bus" else ():
                    self._missed.pop(name, None)
                note(call, False)
            raise
        if self._is_closed:
            self._disconnect()
        assert reply
        return reply

    @property
    def tasks(self) -> list[_TaskCore]:
        return [task for reference in self._tasks.valuerefs() if (task := reference())]

    def add(self, task: _TaskCore) -> None:
        self._tasks[id(task)] = task
        self._keep_up()

    def remove(self, task: _TaskCore) -> None:
        self._tasks.pop(id(task), None)

    def _keep_up(self) -> None:
        """From now on, a bus that restarts receives the tied values and the tasks again."""
        self._keeper = self._keeper or self._run_aside(self._keep())

    def _keep(self) -> _Steps[None]:
        backoff, is_restored = _Backoff(), True
        while not (self._is_closed or self._calls.is_foreign):
            if is_restored and (connection := self._connection):
                begin = time.monotonic()
                yield from connection.end()
                # A bus that soon ends every connection is not tried more often than a missing bus.
                if time.monotonic() >= begin + LONGEST_PAUSE:
                    backoff = _Backoff()
            yield _Ready(time.monotonic() + backoff.next())
            try:
                yield from self.fence()
                is_restored = True
                for task in self.tasks:
                    # With its subscription, a task begins again.
                    is_restored &= yield from task.subscription.reach()
            except ReveilleError:
                is_restored = False

    def _disconnect(self) -> None:
        if self._connection:
            if not self._calls.is_foreign:
                self._connection.shut_down()
            self._connection.close()
        self._connection = None

    def close(self) -> None:
        self._is_closed = True
        for stream in list(self.streams):
            stream.close()
        for connection in () if self._calls.is_foreign else list(self._suspending):
            connection.shut_down()
        if self._connection and not self._calls.is_foreign:
            # A call of another thread fails, and closes the connection.
            self._connection.shut_down()
        if self._calls.is_foreign or not self._calls.is_held:
            self._disconnect()

    def fence(self) -> _Steps[None]:
        """Returns once the bus has carried out every earlier call."""
        yield from self.call(f"{_SERVICE}.GetInfo", {})

    def end(self) -> _Steps[None]:
        """Returns once the connection has ended."""
        if connection := self._connection:
            yield from connection.end()
        self.check_is_open(f"{_SERVICE}.GetInfo")

    def get_all(self, *aspects: str) -> _Steps[list[Event]]:
        """Returns the current states of several aspects, names and patterns: of a pattern, those of its names."""
        parameters = {"aspects": _texts("GetState: the aspects", aspects), **_known_fields(aspects)}
        return _events((yield from self.call("GetState", parameters, " ".join(aspects))))

    def get(self, aspect: str) -> _Steps[Event]:
        """Returns the current state of an aspect, as an event whose `changes` are 0."""
        if str(aspect).endswith(".*"):
            message = "a pattern has no state of its own; get_all() returns the states of its names"
            raise ReveilleError(f"GetState {aspect}: {message}")
        for event in (yield from self.get_all(aspect)):
            if event.aspect == aspect:
                return event
        raise _invalid(f"it lacks the state of {aspect}")

    def publish(self, name: str, value: Mapping[str, Any], *, while_connected: bool = False) -> _Steps[Revision]:
        """Publishes a state. Every program can subscribe to it. An equal value is not a change.

        Args:
            name: Two words or more, joined by dots: "org.example.volume".
            value: A JSON object, by default of at most 4,096 bytes.
            while_connected: Whether the bus withdraws the value when this object is closed or the process ends. If the
                bus restarts, the last such value of each name is published again, even one for which there was no bus,
                until the name is withdrawn.
        """
        _check_object("Publish", name, "value", value)

        def note(call: bytes, is_accepted: bool) -> None:
            self._forget(name)
            if while_connected:
                if is_accepted:
                    self._tied[name] = _again(call)
                else:
                    self._missed[name] = call
                self._keep_up()

        parameters = {"aspect": name, "value": value, **({"whileConnected": True} if while_connected else {})}
        return _revision((yield from self.call("Publish", parameters, name, note=note)))

    def withdraw(self, name: str) -> _Steps[Revision]:
        """Withdraws a published value: its state becomes None."""
        # Even if the call fails: the bus withdraws the value with the connection.
        self._forget(name)
        parameters: dict[str, Any] = {"aspect": name, "value": None}
        return _revision((yield from self.call("Publish", parameters, name, note=lambda _, __: self._forget(name))))

    def _forget(self, name: str) -> None:
        self._tied.pop(name, None)
        self._missed.pop(name, None)

    def _note_again(self, name: str, call: bytes, reply: _Reply) -> None:
        """Takes the reply to a value that a new connection began with."""
        self._missed.pop(name, None)
        if reply.error:
            _LOG.error("%s is not published again: %s", name, reply.error)
        else:
            self._tied[name] = _again(call)

    def post(self, aspect: str, state: Mapping[str, Any]) -> _Steps[Revision]:
        """Posts a synthetic state of the device, for tests of subscribers. Members not given keep their values."""
        _check_object("Post", aspect, "state", state)
        state = {**((yield from self.get(aspect)).state or {}), **state}
        return _revision((yield from self.call("Post", {aspect: state}, aspect)))

    def history(self, aspect: str, *, limit: int | None = None) -> _Steps[list[Event]]:
        """Returns the latest changes of an aspect that the bus keeps, oldest first: all of them, or at most `limit`."""
        parameters = {"aspect": aspect, **_known_fields((aspect,)), **({} if limit is None else {"limit": limit})}
        return _events((yield from self.call("GetHistory", parameters, aspect)))

    def aspects(self) -> _Steps[list[AspectInfo]]:
        """Returns the aspects and their sources, as structures `AspectInfo` of the interface."""
        return typing.cast("list[AspectInfo]", _objects((yield from self.call("DescribeAspects", {})), "aspects"))

    def subscriptions(self) -> _Steps[list[SubscriptionInfo]]:
        """Returns the subscriptions of all programs, as structures `Subscription` of the interface."""
        entries = _objects((yield from self.call("ListSubscriptions", {})), "subscriptions")
        return typing.cast("list[SubscriptionInfo]", entries)

    def refresh(self) -> _Steps[None]:
        """Reads every source again; returns once the changes have been posted."""
        yield from self.call("Refresh", {})

    def wake(self, subscription: str) -> _Steps[None]:
        """Wakes a subscription of any program, as a shell does, unless its own program holds it in the background.

        Args:
            subscription: Its identifier, as in `subscriptions()`.
        """
        yield from self.call("SetState", _state_request(subscription, "foreground", None), str(subscription))

    def hold(self, subscription: str, *, wake_after: Duration | None = None) -> _Steps[None]:
        """Sends a subscription of any program to the background, until wake() or the end of a time."""
        yield from self.call("SetState", _state_request(subscription, "background", wake_after), str(subscription))

    def suspend(self, subscription: str, *, wake_after: Duration | None = None) -> _Steps[None]:
        """Sends a subscription of any program to the background, and has the program frozen once its tasks have ended.

        Returns when it is frozen, which may take minutes. Fails with the code "cannot_suspend" if it cannot be frozen or
        is woken before; it is in the background nevertheless. An interrupted wait takes nothing back; wake() does.
        """
        self.check_is_open("SetState")
        call = _encode("SetState", _state_request(subscription, "suspended", wake_after), subscription)
        connection = yield from _Connection.open(self.address)
        try:
            self._suspending.add(connection)
            # It may have been closed meanwhile.
            self.check_is_open("SetState")
            until = time.monotonic() + SUSPENSION_TIMEOUT
            yield from connection.send(call, until)
            if not (reply := (yield from connection.receive(until))):
                raise _unanswered("SetState", SUSPENSION_TIMEOUT)
            _answer(reply, "SetState", subscription)
        except ReveilleError as error:
            self.check_is_open(_attempt("SetState", subscription))
            if not _is_loss(error) or error.code == "timeout":
                raise
            raise ReveilleError(f"{_attempt('SetState', subscription)}: {error}", error.code) from None
        finally:
            self._suspending.discard(connection)
            connection.close()

    def enter_background(self, *, wake_after: Duration | None = None) -> _Steps[None]:
        """Sends all subscriptions of this object to the background, as Subscription.enter_background() does with one."""
        yield from self._change_all(lambda each: each.enter_background(wake_after=wake_after))

    def enter_foreground(self) -> _Steps[None]:
        """Wakes all subscriptions of this object."""
        yield from self._change_all(lambda each: each.enter_foreground())

    def become_inactive(self) -> _Steps[None]:
        """Makes all subscriptions of this object inactive."""
        yield from self._change_all(lambda each: each.become_inactive())

    def _change_all(self, change: Callable[[_SubscriptionCore], _Steps[None]]) -> _Steps[None]:
        self.check_is_open("SetState")
        for stream in list(self.streams):
            if isinstance(stream, _SubscriptionCore) and not stream.is_closed:
                yield from change(stream)

    def info(self) -> _Steps[DeviceInfo]:
        """Returns the description of the device: the reply of GetInfo of the interface `org.reveille.Device`."""
        return typing.cast(DeviceInfo, (yield from self.call(f"{_DEVICE}.GetInfo", {})))

    def schedule(
        self, id: str, name: str, value: Mapping[str, Any] | None = None, **options: Unpack[ScheduleOptions]
    ) -> _Steps[ScheduledEntry]:
        """Schedules a value that the bus publishes at set times, even when this program does not run.

        Args:
            id: The identifier of the entry. Another entry with the same identifier replaces it.
            name: The name under which the value is published; each firing is a change.
            value: A JSON object, by default without members.
            options: The times; see ScheduleOptions.
        """
        entry = _entry(id, name, {} if value is None else value, **options)
        reply = yield from self.call(f"{_SCHEDULE}.Add", {"entry": entry}, id)
        return _scheduled({"entry": entry, "next": reply.get("next"), "fired": 0})

    def scheduled(self) -> _Steps[list[ScheduledEntry]]:
        """Returns this user's entries on the schedule."""
        return [_scheduled(entry) for entry in _objects((yield from self.call(f"{_SCHEDULE}.List", {})), "entries")]

    def cancel_scheduled(self, id: str | None = None) -> _Steps[int]:
        """Removes an entry of this user from the schedule, or all. Returns their number."""
        try:
            reply = yield from self.call(f"{_SCHEDULE}.Cancel", {} if id is None else {"id": id}, id or "")
        except ReveilleError as error:
            if error.code != "no_such_entry":
                raise
            return 0
        return _take_field(reply, "cancelled", int)

    def check(self, capability: str) -> _Steps[CapabilityAnswer]:
        """Returns whether the device and the bus have a capability, as a structure `Answer` of `org.reveille.Device`.

        Its `answer` is "yes", "no" or "unknown". A bus of an earlier version always answers "unknown".
        """
        return (yield from self.check_all(capability))[0]

    def check_all(self, *capabilities: str) -> _Steps[list[CapabilityAnswer]]:
        """Returns the answers to several capabilities, in their order."""
        try:
            reply = yield from self.call(f"{_DEVICE}.Check", {"capabilities": list(capabilities)})
        except ReveilleError as error:
            if error.code != "not_supported":
                raise
            # A bus of an earlier version does not know whether the device has the capabilities.
            reply = dict[str, Any](answers=[])
        answers = {_take_field(answer, "capability", str): answer for answer in _objects(reply, "answers")}
        unknown = {"answer": "unknown", "reason": None}
        return [
            typing.cast(CapabilityAnswer, answers.get(name, {"capability": name, **unknown})) for name in capabilities]


_CODES: dict[str, Code] = {
    "MethodNotFound": "not_supported", "InterfaceNotFound": "not_supported", "PermissionDenied": "not_permitted",
    "QuotaExceeded": "quota_exceeded", "NoSuchSubscription": "no_such_subscription", "NoSuchEntry": "no_such_entry",
    "CannotSuspend": "cannot_suspend",
}


def _revision(reply: Mapping[str, Any]) -> Revision:
    return Revision(_take_field(reply, "generation", int), _take_field(reply, "sequence", int))


def _code(word: str, parameters: Mapping[str, Any]) -> Code:
    # The bus lacks a method, a parameter or a word: it is of an earlier version.
    is_unknown = word == "InvalidParameter" and parameters.get("reason") == "unknown"
    return "not_supported" if is_unknown else _CODES.get(word, "invalid_argument")


def _state_request(subscription: str, state: str, wake_after: Duration | None) -> dict[str, Any]:
    request: dict[str, Any] = {"subscription": subscription, "state": state}
    if (seconds := _duration("wake_after", wake_after)) is not None:
        request["wakeAfter"] = _milliseconds(seconds)
    return request


def _answer(reply: _Reply, method: str, subject: str) -> dict[str, Any]:
    """Returns the parameters of a reply that is not an error."""
    if not reply.error:
        return reply.parameters
    word = reply.error.rpartition(".")[2]
    # The reason follows in a sentence.
    shown = {name: value for name, value in reply.parameters.items() if (word, name) != ("InvalidParameter", "reason")}
    details = ", ".join(f"{name}: {value}" for name, value in shown.items())
    message = f"{_attempt(method, subject)}: {word}" + (f" ({details})" if details else "")
    reason = _reason(word, reply.parameters, method, str(subject).split(" "))
    raise ReveilleError(
        f"{message}: {reason}" if reason else message, _code(word, reply.parameters), reply.error,
        reply.parameters)


_WORDS = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
_NAME_RULE = f"at least two words of letters, digits, - and _, joined by dots, with at most {NAME_LIMIT} bytes"


def _is_aspect(text: str) -> bool:
    """Returns whether an aspect, a published name or a pattern can have this form."""
    return len(text) <= NAME_LIMIT and _WORDS.fullmatch(text.removesuffix(".*")) is not None


def _reason(word: str, parameters: Mapping[str, Any], method: str, names: list[str]) -> str | None:
    """Returns the rule that an error of the bus refers to; None if the error needs no explanation."""
    match word, parameters:
        case "PermissionDenied", _ if method == "Publish":
            return (
                "on a user's bus, only that user and root can publish; on the system bus, only root and the users to "
                "whom publish.allow grants the name, and only while no other user publishes it")
        case "PermissionDenied", _ if method == "Post":
            return "only root and the user of the bus can post"
        case "QuotaExceeded", {"quota": "value", "limit": limit}:
            return f"a value can have at most {limit} bytes as JSON without spaces; publish.valueSize sets the limit"
        case "QuotaExceeded", {"quota": "names"}:
            return "a user cannot publish more names, unless one is withdrawn; publish.names sets the limit"
        case "PermissionDenied", _ if method == f"{_SCHEDULE}.Add":
            return "an entry needs the permission to publish its name, and only the bus's own user can give a command"
        case "QuotaExceeded", {"quota": "entries"}:
            return "a user cannot have more entries, unless one is cancelled; schedule.entries sets the limit"
        case "QuotaExceeded", {"quota": "storage"}:
            return "the bus cannot save its schedule, and has logged the reason"
        case "QuotaExceeded", {"quota": "aspects"}:
            return "a pattern such as org.example.* stands for many names"
        case "InvalidParameter", {"parameter": "domains"}:
            return "a list of domains must have at least one, and needs the aspect defaults"
        case "InvalidParameter", {"parameter": "value"}:
            return f"a value must be an object, nested at most {VALUE_DEPTH_LIMIT} levels deep"
        case "InvalidParameter", {"parameter": "aspect"} if method == "Publish":
            return f"a published name must have {_NAME_RULE}; a pattern cannot be published"
        case "InvalidParameter", {"parameter": "aspect" | "aspects"}:
            wrong = next((name for name in names if not _is_aspect(name)), None)
            return (f"{wrong!r}: " if wrong is not None else "") + (
                f"an aspect must be one of the device, a published name ({_NAME_RULE}), or a pattern (the beginning "
                "of a name and .*)")
        case "InvalidParameter", {"parameter": "policies.aspect"}:
            return "a policy must be for an aspect of the device, or for a name or pattern of the subscription"
        case "InvalidParameter", {"parameter": parameter, "reason": "unknown"}:
            return f"the bus does not know the value of {parameter}, or {parameter} itself; is it an earlier version?"
        case "InvalidParameter", {"parameter": parameter, "reason": str(reason)}:
            return f"{parameter} {reason}"
        case _:
            return None


class _TaskCore:
    """A call of BeginTask, which lasts as long as its task. A subscription that is opened again makes it again."""

    def __init__(self, bus: _BusCore, subscription: _SubscriptionCore, name: str) -> None:
        self.name = name
        self.subscription = subscription
        self._bus = bus
        # The identifier of the subscription when the task began.
        self._begun_for: str | None = None
        self._connection: _Connection | None = None
        self._is_expiring = self._has_ended = self._is_closed = False
        self._failure: ReveilleError | None = None
        # Held while replies are received, and never while waiting.
        self._intake = _Turns(threading.Event)
        bus.streams.add(self)

    def start(self) -> _Steps[None]:
        try:
            yield from self.begin()
            if not self._has_ended:
                self._bus.add(self)
        except BaseException:
            self.close()
            raise

    def begin(self) -> _Steps[None]:
        try:
            self._bus.check_is_open("BeginTask")
            self.subscription.check_is_open("BeginTask")
            self._intake.run(self._disconnect)
            begun_for = self.subscription.id or ""
            parameters = {"subscription": begun_for, "name": self.name}
            call = _encode("BeginTask", parameters, self.name, "more")
            connection = yield from _Connection.open(self._bus.address)
            try:
                until = time.monotonic() + REPLY_TIMEOUT
                yield from connection.send(call, until)
                reply = yield from connection.receive(until)
                if not reply:
                    raise _unanswered("BeginTask")
                self._intake.run(lambda: self._accept(connection, begun_for, reply))
            except BaseException:
                connection.close()
                raise
        except ReveilleError as error:
            self._fail(error)

    def _accept(self, connection: _Connection, begun_for: str, reply: _Reply) -> None:
        """Takes the first reply."""
        self._connection, self._begun_for, self._failure = connection, begun_for, None
        self._take(reply)
        if self._is_closed:
            self._disconnect()

    def _take(self, reply: _Reply) -> None:
        state = _answer(reply, "BeginTask", self.name)
        if state.get("ended") is True:
            if self.subscription.id != self._begun_for:
                raise ReveilleError(f"BeginTask {self.name}: the subscription is opened again", "no_bus")
            self._has_ended = True
            self._bus.remove(self)
            self._disconnect()
        self._is_expiring |= self._has_ended or state.get("expiring") is True

    def _fail(self, error: ReveilleError) -> None:
        self._failure = error
        self._disconnect()

    def _receive_available(self) -> None:
        self._intake.run(self._take_in)

    def _take_in(self) -> None:
        try:
            while self._connection and (reply := self._connection.receive_available()):
                self._take(reply)
        except ReveilleError as error:
            self._fail(error)
        except BaseException:
            self._fail(ReveilleError(
                f"BeginTask {self.name}: an exception has interrupted the receipt of a reply", "no_bus"))
            raise

    @property
    def is_expiring(self) -> bool:
        self._receive_available()
        return self._is_expiring

    @property
    def failure(self) -> ReveilleError | None:
        self._receive_available()
        return self._failure

    def remaining(self) -> _Steps[float | None]:
        """Returns the seconds that are left; None in the foreground, and if the bus does not count the task."""
        self._receive_available()
        if self._has_ended or not self._connection:
            return 0.0 if self._has_ended else None
        try:
            for entry in (yield from self._bus.subscriptions()):
                if entry.get("subscription") == self.subscription.id and entry.get("tasks") is not None:
                    # All tasks of a subscription have the same time left.
                    for task in _objects(entry, "tasks"):
                        return None if task.get("remaining") is None else _take_field(task, "remaining", int) / 1_000
        except ReveilleError:
            pass
        return None

    def close(self) -> None:
        self._is_closed = True
        self._bus.remove(self)
        if self._intake.is_foreign:
            self._disconnect()
        else:
            self._intake.run(self._disconnect)

    def _disconnect(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = None


class _LastingCore:
    """A call with more than one reply that survives its bus."""

    def __init__(self, bus: _BusCore, method: str, parameters: Mapping[str, Any], subject: str = "") -> None:
        self._bus, self._method, self._parameters, self._subject = bus, method, parameters, subject
        self._connection: _Connection | None = None
        self._backoff = _Backoff()
        self._is_closed = False
        self._has_replied = False
        self._is_first_reply = True
        bus.streams.add(self)

    def reply(self) -> _Steps[tuple[dict[str, object], bool] | None]:
        """Waits for the next reply; returns its parameters, and whether it is the first of a connection.

        Returns None after close().
        """
        while not self._is_closed:
            self._bus.check_is_open(self._method)
            try:
                return self._take((yield from self._receive()))
            except ReveilleError as error:
                self._disconnect()
                # Another program of the user may end and leave room.
                is_passing = _is_loss(error) or error.code == "quota_exceeded"
                if not self._is_closed and not (self._has_replied and is_passing):
                    raise
            if not self._is_closed:
                yield _Ready(time.monotonic() + self._backoff.next())
        return None

    def _receive(self) -> _Steps[_Reply]:
        until, connection = math.inf, self._connection
        if not connection:
            connection = self._connection = yield from _Connection.open(self._bus.address)
            self._is_first_reply, until = True, time.monotonic() + REPLY_TIMEOUT
            yield from connection.send(_encode(self._method, self._parameters, self._subject, flag="more"), until)
        if not (reply := (yield from connection.receive(until))):
            raise _unanswered(self._method)
        return reply

    def _take(self, reply: _Reply) -> tuple[dict[str, object], bool]:
        parameters = _answer(reply, self._method, self._subject)
        if not reply.continues:
            raise ReveilleError(f"{self._method}: this bus does not report changes", "not_supported")
        is_first, self._is_first_reply, self._has_replied = self._is_first_reply, False, True
        if not is_first:
            self._backoff = _Backoff()
        return parameters, is_first

    def close(self) -> None:
        self._is_closed = True
        # A reader of another thread closes the connection.
        if (connection := self._connection) and not self._bus.is_foreign:
            connection.shut_down()

    def end(self) -> None:
        self._is_closed = True
        self._disconnect()

    def _disconnect(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = None


class _FollowerCore(_LastingCore):
    """A call of ListSubscriptions that survives its bus."""

    def __init__(self, bus: _BusCore) -> None:
        super().__init__(bus, "ListSubscriptions", {})
        # The subscriptions that were returned and have not ended.
        self._known: set[str] = set()

    def next(self) -> _Steps[SubscriptionChanges | None]:
        """Waits for the next changes; returns None after the end of the bus object."""
        if not (reply := (yield from self.reply())):
            return None
        parameters, is_first = reply
        entries = _objects(parameters, "subscriptions")
        ids = {_take_field(entry, "subscription", str) for entry in entries}
        listed = typing.cast("list[object]", _optional_field(parameters, "ended", list) or [])
        ended = [entry for entry in listed if isinstance(entry, str)]
        if is_first:
            # What ended while there was no connection.
            ended = sorted(self._known - ids)
        self._known = (self._known | ids).difference(ended)
        return SubscriptionChanges(typing.cast("list[SubscriptionInfo]", entries), ended)


class _DemandCore(_LastingCore):
    """A call of ObserveDemand that survives its bus."""

    def __init__(self, bus: _BusCore, names: tuple[str, ...]) -> None:
        aspects = _texts("ObserveDemand: the names", names)
        super().__init__(bus, "ObserveDemand", {"aspects": aspects}, " ".join(aspects))
        self._needed: set[str] | None = None

    def next(self) -> _Steps[set[str] | None]:
        """Waits for the next change; returns None after the end of the bus object."""
        while reply := (yield from self.reply()):
            demands = _objects(reply[0], "demands")
            told = {_take_field(demand, "aspect", str): _take_field(demand, "needed", bool) for demand in demands}
            needed = {name for name in (self._needed or set()) | told.keys() if told.get(name, True)}
            if needed != self._needed:
                self._needed = needed
                return set(needed)
        return None


class _ReachCore:
    """Whether the bus is reachable."""

    def __init__(self, bus: _BusCore) -> None:
        self._bus = bus
        self._last: bool | None = None

    def next(self) -> _Steps[bool | None]:
        """Waits for the next change; returns None after the end of the bus object."""
        backoff = _Backoff()
        while True:
            is_reachable = not self._last
            try:
                yield from self._bus.fence() if is_reachable else self._bus.end()
            except ReveilleError as error:
                if error.code == "closed" and self._last is not None:
                    return None
                if not _is_loss(error):
                    raise
                is_reachable = False
            if is_reachable != self._last:
                self._last = is_reachable
                return is_reachable
            yield _Ready(time.monotonic() + backoff.next())


def _entry(
    id: str, name: str, value: object, *, at: datetime | None = None, every: Duration | None = None,
    calendar: CalendarRule | None = None, zone: str | None = None, until: datetime | None = None,
    if_missed: MissedFirings | None = None, grace: Duration | None = None, wake: bool = False,
    launch: Collection[str] | None = None,
) -> dict[str, Any]:
    """Returns a structure `Entry` of the interface, without the fields that are not given."""
    _check_object(f"{_SCHEDULE}.Add", id, "value", value)
    fields = {
        "id": id, "aspect": name, "value": value, "at": at and _microseconds(at),
        "every": None if every is None else _milliseconds(every), "calendar": calendar and dict(calendar),
        "zone": zone, "until": until and _microseconds(until), "ifMissed": if_missed,
        "grace": None if grace is None else _milliseconds(grace), "wake": wake or None,
        "launch": None if launch is None else _texts("launch", launch),
    }
    return {field: value for field, value in fields.items() if value is not None}


def _microseconds(time: datetime) -> int:
    """Returns the microseconds since 1970 of a time. Without a time zone, the time is local."""
    return (time.astimezone(timezone.utc) - _EPOCH) // timedelta(microseconds=1)


_ENTRY: dict[str, type[Any]] = {
    "id": str, "aspect": str, "value": dict, "at": int, "every": int, "calendar": dict, "zone": str, "until": int,
    "ifMissed": str, "grace": int, "wake": bool, "launch": list,
}


def _scheduled(listing: Mapping[str, Any]) -> ScheduledEntry:
    """Returns the entry of a structure `Scheduled` of the interface."""
    wire = typing.cast("dict[str, Any]", _take_field(listing, "entry", dict))
    fields = {name: _take_field(wire, name, kind) for name, kind in _ENTRY.items() if wire.get(name) is not None}
    fields |= {name: _time(fields[name]) for name in ("at", "until") if name in fields}
    fields |= {name: fields[name] / 1_000 for name in ("every", "grace") if name in fields}
    if calendar := fields.get("calendar"):
        # The interface has two members for the days.
        days = calendar.get("weekdays") if calendar.get("weekday") is None else [calendar["weekday"]]
        parts = {**calendar, "weekday": None, "weekdays": days}
        fields["calendar"] = {part: value for part, value in parts.items() if value is not None}
    if "ifMissed" in fields:
        fields["if_missed"] = fields.pop("ifMissed")
    next_time = _optional_field(listing, "next", int)
    return typing.cast(ScheduledEntry, {
        "id": _take_field(fields, "id", str), "name": _take_field(fields, "aspect", str), "value": {},
        **{name: value for name, value in fields.items() if name != "aspect"},
        "next": None if next_time is None else _time(next_time), "fired": _take_field(listing, "fired", int)})


class _Launch:
    """The positions before the firings that started this program: the first subscription continues there."""

    def __init__(self, text: str | None) -> None:
        self.positions: Positions | None = None
        try:
            launch = json.loads(text or "null")
            if launch:
                generations = {entry["aspect"]: entry["generation"] for entry in launch["resume"]}
                self.positions = {"instance": launch["instance"], "generations": generations}
        except (ValueError, TypeError, KeyError, LookupError):
            pass
        self._rest = dict(self.positions["generations"]) if self.positions else {}

    def take(self, is_wanted: Callable[[str], bool]) -> Positions | None:
        taken = {aspect: self._rest.pop(aspect) for aspect in list(self._rest) if is_wanted(aspect)}
        return {"instance": self.positions["instance"], "generations": taken} if self.positions and taken else None


_launch = _Launch(os.environ.get("REVEILLE_LAUNCH"))


def launch_positions() -> Positions | None:
    """Returns the positions before the firings that started this program, or None.

    The first subscription to each of these names continues from there, so that its first event has their number.
    """
    return _launch.positions


class _SubscriptionCore:
    """A subscription that survives its bus."""

    def __init__(
        self, bus: _BusCore, aspects: tuple[str, ...], *, name: str | None = None, initial: bool = False,
        background: bool = False, policies: Mapping[str, Policy] | None = None, resume: Positions | None = None,
        domains: Collection[str] | None = None,
    ) -> None:
        self._bus = bus
        self._aspects = _texts("Subscribe: the aspects", aspects)
        self._policies = dict(policies or {})
        # The initial states are always requested: what comes later is compared with them.
        self._request: dict[str, Any] = {"aspects": self._aspects, "initial": True, **_known_fields(aspects)}
        # Set by "reveille run --name".
        if name := name or os.environ.get("REVEILLE_NAME"):
            self._request["name"] = name
        self._domains = None if domains is None else sorted(set(_texts("Subscribe: the domains", domains)))
        if self._domains is not None:
            self._request["domains"] = self._domains
        if self._policies:
            self._request["policies"] = [_wire_policy(*entry) for entry in self._policies.items()]
        self._wants_initial = initial
        self._instance: str | None = None
        # The generation of the last event taken, by aspect.
        self._generations: dict[str, int] = {}
        # The aspects of an earlier instance without a taken event of this instance, and the positions then.
        self._untaken: set[str] = set()
        self._before: Positions = {"instance": "", "generations": {}}
        resume = resume or _launch.take(self._is_wanted)
        if resume is not None:
            self._instance, generations = _check_positions(resume)
            self._generations = {aspect: generations[aspect] for aspect in generations if self._is_wanted(aspect)}
            if resume.get("domains") != self._domains and "defaults" in self._generations:
                # A generation of other domains says nothing about these.
                self._generations["defaults"] = 0
        # Requested states, which are delivered in the background too.
        self._answers: list[Event] = []
        # The events received and not taken: from one reply, or from several that came before a background.
        self._waiting: list[Event] = []
        # The events taken for a caller, who removes them, and the positions until then. An interrupted caller receives
        # them the next time.
        self.taken: list[tuple[list[Event], Positions]] = []
        self._background = background
        self._is_inactive: bool = False
        # When the bus ends the background, in seconds since boot.
        self._deadline = math.inf
        # Whether the bus must merge what was received with what it has now: the reader opens the subscription again,
        # from the positions of the events taken.
        self._gives_back = False
        self._has_started = False
        # Whether a background has ended, and the subscription must be opened again.
        self._was_asleep = False
        self.id: str | None = None
        self._connection: _Connection | None = None
        self._connected_at = 0.0
        self._backoff = _Backoff()
        self._retry_at = 0.0
        self.is_closed = False
        self._reading = _Turns(bus.new_signal)
        self._changing = _Turns(bus.new_signal)
        # Held while events are received or taken, and never while waiting.
        self._intake = _Turns(threading.Event)
        # Whether an exception has left the events received in an unknown state.
        self._is_torn = False
        # Wakes a reader whose wait has another end now. A file object, so that it ends with the subscription.
        self._bell = open(os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK), "r+b", buffering=0)
        bus.streams.add(self)

    @property
    def positions(self) -> Positions:
        for _, before in self.taken[-1:]:
            return {**before, "generations": dict(before["generations"])}
        if self._untaken:
            # Another process can find the withdrawals among the events that wait.
            positions: Positions = {**self._before, "generations": dict(self._before["generations"])}
        else:
            positions = {"instance": self._instance or "", "generations": dict(self._generations)}
        if self._domains is not None:
            positions["domains"] = list(self._domains)
        return positions

    def task(self, name: str) -> _TaskCore:
        return _TaskCore(self._bus, self, name)

    def check_is_open(self, method: str) -> None:
        if self.is_closed:
            raise ReveilleError(f"{method} {' '.join(self._aspects)}: the subscription is closed", "closed")

    # --- Policies

    def _is_wanted(self, aspect: str) -> bool:
        return any(_covers(pattern, aspect) for pattern in self._aspects)

    def _is_matched(self, aspect: str) -> bool:
        """Returns whether only a pattern of the subscription matches an aspect."""
        return _is_published(aspect) and aspect not in self._aspects

    def _policy(self, aspect: str) -> Policy:
        matching = [pattern for pattern in self._policies if _covers(pattern, aspect)]
        # A name goes before its patterns, a longer pattern before a shorter one.
        best = max(matching, key=lambda pattern: (pattern == aspect, len(pattern)), default=None)
        return Policy() if best is None else self._policies[best]

    # --- Opening

    def start(self) -> _Steps[None]:
        try:
            self._bus.check_is_open("Subscribe")
            yield from self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> _Steps[None]:
        self._waiting.clear()
        background = self._background
        request = dict(self._request, state="background" if background else "foreground")
        known, unsent = dict(self._generations), set[str]()
        subject = " ".join(self._aspects)
        if self._instance is not None:
            request |= {"instance": self._instance, "resume": []}
            room = CALL_LIMIT - len(_encode("Subscribe", request, subject, "more"))
            request["resume"], unsent = self._fitting_positions(room)
        call = _encode("Subscribe", request, subject, "more")
        connection = yield from _Connection.open(self._bus.address)
        try:
            until = time.monotonic() + REPLY_TIMEOUT
            yield from connection.send(call, until)
            reply = yield from connection.receive(until)
            if not reply:
                raise _unanswered("Subscribe")
            first = _answer(reply, "Subscribe", subject)
            was_asleep = self._was_asleep or background and self._has_started
            self._begin(first, known, unsent, has_resumed=first.get("resumed") is True, was_asleep=was_asleep)
            self._connection, self._connected_at = connection, time.monotonic()
            yield from self._changing.hold(lambda: self._catch_up(background))
            for task in self._bus.tasks:
                if task.subscription is self:
                    yield from task.begin()
        except BaseException:
            connection.close()
            raise
        if self._retry_at:
            _LOG.info("%s: reconnected to the bus", subject)

    def _catch_up(self, background: bool) -> _Steps[None]:
        # A background may have begun or ended in the meantime, and the bus does not know its deadline yet.
        if (self._background, self._deadline) != (background, math.inf) or self._is_inactive:
            state = "background" if self._background else self._awake
            yield from self._set_state(state, self._deadline)

    def _fitting_positions(self, room: int) -> tuple[list[dict[str, Any]], set[str]]:
        """Returns the positions that fit into a call, and the aspects of the others."""
        fitting: list[dict[str, Any]] = []
        unsent: set[str] = set()
        # Aspects that the subscription names come first: only a name that a pattern matches can be compared.
        for aspect in sorted(self._generations, key=lambda aspect: (self._is_matched(aspect), aspect)):
            entry = {"aspect": aspect, "generation": self._generations[aspect]}
            room -= len(json.dumps(entry, separators=(",", ":"))) + 1
            if room >= 0:
                fitting.append(entry)
            else:
                unsent.add(aspect)
        return fitting, unsent

    def _compared(
        self, events: list[Event], known: dict[str, int], unsent: set[str], has_resumed: bool
    ) -> list[Event]:
        """Returns the events of a first reply, corrected for the positions that were not sent, and a withdrawal of each
        name that is no longer published."""
        if has_resumed:
            # To the bus, these are names that the subscription has never seen.
            events = [
                dataclasses.replace(event, changes=min(event.changes, max(0, event.generation - known[event.aspect])))
                if event.aspect in unsent else event
                for event in events]
        # The reply has the state of every name that is published.
        missing = (known.keys() | self._untaken) - {event.aspect for event in events}
        sequence, now = max((event.sequence for event in events), default=0), datetime.now(timezone.utc)
        withdrawals = [
            Event(
                aspect=name, generation=max(sequence, known.get(name, 0) + 1), sequence=sequence,
                changes=int(has_resumed and name in known), net_change=True, first_changed_at=now, changed_at=now,
                dropped=0, state=None)
            for name in sorted(missing) if self._is_matched(name)]
        return events + withdrawals

    def _begin(
        self, reply: Mapping[str, Any], known: dict[str, int], unsent: set[str], has_resumed: bool, was_asleep: bool
    ) -> None:
        """Takes the first reply."""
        is_fresh, is_new = self._instance is None, not self._has_started
        subscription, instance = _take_field(reply, "subscription", str), _take_field(reply, "instance", str)
        generations, untaken, before = dict(self._generations), self._untaken, self._before
        events = self._compared(_events(reply, self._is_wanted), known, unsent, has_resumed)
        if not (is_fresh or has_resumed):
            generations, untaken, before = {}, untaken | known.keys(), self.positions
        answers: list[Event] = []
        waiting: list[Event] = []
        for event in events:
            if is_new and self._wants_initial and event.changes == 0:
                answers.append(event)
            elif is_fresh:
                _note(generations, event)
            elif has_resumed and event.aspect in known and event.changes == 0:
                pass
            elif has_resumed and event.aspect not in known.keys() | untaken and event.state is None:
                # A name that was withdrawn, and that is not known here or no longer.
                _note(generations, event)
            elif was_asleep and self._policy(event.aspect).background == "drop":
                _note(generations, event)
            elif event.changes > 0 and not event.net_change and self._policy(event.aspect).net_change_only:
                _note(generations, event)
            else:
                waiting.append(event)
        untaken = untaken & {event.aspect for event in answers + waiting}
        # At once: an exception comes before or after.
        (
            self._has_started, self._was_asleep, self.id, self._instance, self._generations, self._untaken,
            self._before, self._waiting,
        ) = True, False, subscription, instance, generations, untaken, before, waiting
        self._answers += answers

    # --- Receiving

    def next(self, timeout: Duration | None = None, takes_all: bool = False) -> _Steps[bool]:
        """Waits until an event, or all that are due, are taken; returns False at the end of the subscription."""
        until = math.inf if timeout is None else time.monotonic() + _seconds(timeout)
        try:
            has_taken = yield from self._reading.hold(lambda: self._next(until, takes_all))
        finally:
            self._dispose_if_closed()
        if not (has_taken or self.is_closed):
            raise TimeoutError(f"there was no event of {' '.join(self._aspects)} in time")
        return has_taken

    def _next(self, until: float, takes_all: bool) -> _Steps[bool]:
        if self.is_closed:
            return False
        if self.taken and not takes_all:
            self._divide()
        while not self.taken and not self.is_closed:
            try:
                if _boot_time() >= self._deadline:
                    yield from self._changing.hold(self._end_background)
                if self._gives_back:
                    self._give_back()
                elif self._take_alone(lambda: self._take(takes_all)):
                    break
                elif time.monotonic() >= until:
                    break
                elif not self._gives_back:
                    yield from self._receive(min(until, time.monotonic() + self._deadline - _boot_time()))
            except ReveilleError as error:
                self._lose(error)
                # Another program of the user may end and leave room.
                if not (self.is_closed or _is_loss(error) or error.code == "quota_exceeded"):
                    self.is_closed = True
                    raise
        return bool(self.taken)

    def reach(self) -> _Steps[bool]:
        """Opens the subscription again if it was lost while nobody waits for an event; returns False if it is not open."""
        if not self._is_reached and not self._reading.is_held:
            try:
                yield from self._reading.hold(self._reach)
            finally:
                self._dispose_if_closed()
        return self._is_reached

    @property
    def _is_reached(self) -> bool:
        connection = self._connection
        return self.is_closed or connection is not None and not connection.has_ended

    def _reach(self) -> _Steps[None]:
        try:
            if self._connection:
                self._lose("the bus closed the connection")
            if time.monotonic() >= self._retry_at:
                yield from self._open()
        except ReveilleError as error:
            # If the bus refuses it, whoever waits for an event receives the error.
            self._lose(error)

    def _take_alone(self, action: Callable[[], bool]) -> bool:
        """Runs an action while no other thread receives or takes events; after an exception, all are received again."""

        def act() -> bool:
            self._gives_back |= self._is_torn
            self._is_torn = True
            result = action()
            self._is_torn = False
            return result

        return self._intake.run(act)

    def _receive(self, until: float) -> _Steps[None]:
        bell = self._bell.fileno()
        if not self._connection and time.monotonic() < self._retry_at:
            yield _Ready(min(until, self._retry_at), reading=(bell,))
        elif not self._connection:
            yield from self._open()
        else:
            yield from self._connection.wait(until, bell)
            self._take_alone(self._take_in)
        # Unlike os.eventfd_read, it tries again when a signal interrupts it, and returns None if the bell did not ring.
        self._bell.read(8)

    def _take_in(self) -> bool:
        """Receives a reply; returns whether there was one."""
        connection = self._connection
        reply = connection.receive_available() if connection else None
        if not reply:
            return False
        events = _events(_answer(reply, "Subscribe", " ".join(self._aspects)), self._is_wanted)
        self._waiting += events
        if events:
            self._backoff = _Backoff()
        if not reply.continues:
            raise ReveilleError("the bus ended the subscription", "no_bus")
        return True

    def _lose(self, reason: object) -> None:
        """Prepares another attempt."""
        is_news = self._connection is not None and not self.is_closed
        if self._connection:
            self._connection.close()
            # A bus that soon ends every connection is not tried more often than a missing bus.
            if time.monotonic() >= self._connected_at + LONGEST_PAUSE:
                self._backoff = _Backoff()
        self._connection, self._is_torn = None, False
        self._retry_at = time.monotonic() + self._backoff.next()
        if is_news:
            _LOG.info("%s: disconnected from the bus: %s", " ".join(self._aspects), reason)

    def _give_back(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = self.id = None
        self._retry_at = 0.0
        self._waiting = []
        self._is_torn = self._gives_back = False

    # --- Events that wait

    def _take(self, takes_all: bool) -> bool:
        if self._gives_back:
            return False
        due = self._answers + [event for event in self._waiting if self._is_due(event)]
        events = due if takes_all else due[:1]
        taken = {id(event) for event in events}
        answers = [event for event in self._answers if id(event) not in taken]
        waiting = [event for event in self._waiting if id(event) not in taken]
        generations, before = dict(self._generations), self.positions
        for event in events:
            _note(generations, event)
        untaken = self._untaken - {event.aspect for event in events}
        batches = [(events, before)] if events else []
        # At once: an exception comes before or after.
        self.taken, self._answers, self._waiting, self._generations, self._untaken = (
            batches, answers, waiting, generations, untaken)
        return bool(events)

    def _divide(self) -> None:
        """Prepares the events that an interrupted caller has not received for one who takes a single one."""
        (first, *rest), before = self.taken[-1]
        if rest:
            generations = dict(before["generations"])
            _note(generations, first)
            self.taken = [(rest, {**before, "generations": generations}), ([first], before)]

    def _is_due(self, event: Event) -> bool:
        is_immediate = event.aspect == "lifecycle" or self._policy(event.aspect).background == "immediate"
        return is_immediate or not self._background

    def _note(self, event: Event) -> None:
        _note(self._generations, event)
        self._untaken.discard(event.aspect)

    # --- Background

    def enter_background(self, *, wake_after: Duration | None = None) -> _Steps[None]:
        """Sends the subscription to the background: nothing is delivered until it wakes.

        Args:
            wake_after: The time until it wakes automatically, from a millisecond to a year. None for no limit;
                the limit of an earlier call is replaced.
        """
        seconds = _duration("wake_after", wake_after)
        deadline = math.inf if seconds is None else _boot_time() + seconds
        yield from self._changing.hold(lambda: self._change(lambda: self._sleep(deadline)))

    def enter_foreground(self) -> _Steps[None]:
        """Wakes the subscription: one event is delivered for each aspect that changed."""
        yield from self._changing.hold(lambda: self._change(lambda: self._wake(False)))

    def become_inactive(self) -> _Steps[None]:
        """Brings the subscription to the foreground, with the lifecycle "inactive".

        Everything is delivered. Only subscriptions to "lifecycle" see the difference.
        """
        yield from self._changing.hold(lambda: self._change(lambda: self._wake(True)))

    def _end_background(self) -> _Steps[None]:
        """Ends a background at its deadline, as the bus does too."""
        if _boot_time() >= self._deadline:
            yield from self._change(lambda: self._wake(False))

    def _change(self, steps: Callable[[], _Steps[None]]) -> _Steps[None]:
        """Begins or ends a background. After an exception, nothing has changed, and the bus is told so."""
        self.check_is_open("SetState")
        before = self._background, self._deadline, self._is_inactive
        try:
            yield from steps()
        except BaseException:
            self._background, self._deadline, self._is_inactive = before
            if connection := self._connection:
                connection.shut_down()
            raise
        finally:
            self._ring()

    def _sleep(self, deadline: float) -> _Steps[None]:
        self._background, self._deadline, self._is_inactive = True, deadline, False
        yield from self._set_state("background", deadline)
        try:
            # What the bus sent before.
            while self._take_alone(self._take_in):
                pass
        except ReveilleError:
            if connection := self._connection:
                connection.shut_down()

    @property
    def _awake(self) -> str:
        return "inactive" if self._is_inactive else "foreground"

    def _wake(self, is_inactive: bool) -> _Steps[None]:
        self._is_inactive = is_inactive
        if self._take_alone(self._begin_to_give_back):
            return
        for event in (yield from self._dropped_states()):
            self._intake.run(functools.partial(self._note, event))
        self._was_asleep = self._background and not self._connection
        yield from self._set_state(self._awake, math.inf)
        self._background, self._deadline = False, math.inf

    def _begin_to_give_back(self) -> bool:
        """Wakes by opening the subscription again, if an event was received and not taken before the background.

        Otherwise there would be two events of its aspect.
        """
        # The bus would merge the changes that 'hold' keeps.
        if not self._background or any(policy.background == "hold" for policy in self._policies.values()):
            return False
        connection = self._connection
        if not self._waiting and not (connection and connection.has_begun_reply):
            return False
        self._gives_back = self._was_asleep = True
        self._background, self._deadline = False, math.inf
        return True

    def _dropped_states(self) -> _Steps[list[Event]]:
        """Returns the states of the aspects whose changes are discarded: a later resumption begins there."""
        aspects = tuple(aspect for aspect in self._generations if self._policy(aspect).background == "drop")
        if not (aspects and self._background and self._connection):
            return []
        try:
            return (yield from self._bus.get_all(*aspects))
        except ReveilleError:
            return []

    def _set_state(self, state: str, deadline: float) -> _Steps[None]:
        """Notifies the bus, or the next bus when the subscription is opened again."""
        connection = self._connection
        if not connection:
            return
        parameters: dict[str, Any] = {"subscription": self.id, "state": state}
        if deadline < math.inf:
            parameters["wakeAfter"] = max(1, _milliseconds(deadline - _boot_time()))
        try:
            yield from self._bus.call("SetState", parameters)
        except ReveilleError as error:
            if not _is_loss(error) and error.code != "no_such_subscription":
                raise
            connection.shut_down()

    # --- The end

    def _ring(self) -> None:
        if not self._bell.closed:
            self._bell.write((1).to_bytes(8, sys.byteorder))

    def close(self) -> None:
        """Ends the subscription; a reader of another thread or task ends too."""
        self.is_closed = True
        if not self._reading.is_foreign:
            if connection := self._connection:
                connection.shut_down()
            self._ring()
        # Otherwise the reader closes the descriptors.
        if self._reading.is_foreign or not self._reading.is_held:
            self._dispose()

    def _dispose_if_closed(self) -> None:
        if self.is_closed and not self._reading.is_held:
            self._dispose()

    def _dispose(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = None
        self._bell.close()


def _note(generations: dict[str, int], event: Event) -> None:
    """Moves the position to an event."""
    if event.state is None:
        # Without a position, the name counts as not published. The bus may forget the generation of the withdrawal.
        generations.pop(event.aspect, None)
    else:
        generations[event.aspect] = event.generation


def _boot_time() -> float:
    """Seconds since boot, including time during which the machine was suspended."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _wire_policy(aspect: str, policy: object) -> dict[str, Any]:
    if not isinstance(policy, Policy):
        raise ReveilleError(f"Subscribe: the policy of {aspect} must be a Policy, not {policy!r}")
    entry = {
        "aspect": aspect, "background": policy.background, "limit": policy.limit,
        "netChangeOnly": policy.net_change_only or None,
        "interval": None if policy.interval is None else _milliseconds(policy.interval),
    }
    return {field: value for field, value in entry.items() if value is not None}


def _check_positions(positions: Any) -> tuple[str, dict[str, int]]:
    try:
        instance, generations = positions["instance"], positions["generations"]
        if isinstance(instance, str) and all(
            isinstance(aspect, str) and isinstance(generation, int) for aspect, generation in generations.items()
        ):
            return instance, generations
    except (KeyError, TypeError, AttributeError):
        pass
    raise ReveilleError(f"resume must be the positions of a subscription, not {str(positions)[:80]}")


# --- Blocking


def _describe(method: Callable[..., Any], steps: Callable[..., Any]) -> None:
    """Gives a method the description of a method of its core, for help()."""
    functools.update_wrapper(method, steps)
    signature = inspect.signature(steps)
    result = signature.return_annotation.removeprefix("_Steps[").removesuffix("]")
    method.__dict__["__signature__"] = signature.replace(return_annotation=result)


def _blocking(steps: Callable[Concatenate[Any, _P], _Steps[_T]]) -> Callable[Concatenate[Any, _P], _T]:
    """Makes a method of an object from that of its core."""

    def method(self: Any, /, *args: _P.args, **options: _P.kwargs) -> _T:
        return _run(steps(self._core, *args, **options))

    _describe(method, steps)
    return method


class _Context:
    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Task:
    def __init__(self, core: _TaskCore) -> None:
        self._core = core

    @property
    def name(self) -> str:
        """The name of the task."""
        return self._core.name

    @property
    def is_expiring(self) -> bool:
        """Whether the time is about to end, or has ended; then the work should finish. It stays true."""
        return self._core.is_expiring

    @property
    def failure(self) -> ReveilleError | None:
        """The reason why nothing waits for the task; None if the bus counts it, or its time has ended."""
        return self._core.failure

    def close(self) -> None:
        """Ends the task."""
        self._core.close()


class BackgroundTask(_Task, _Context):
    """Work that a program finishes before it is suspended: Subscription.task(). The end of a `with` statement ends it."""

    remaining = _blocking(_TaskCore.remaining)


class _Subscription:
    def __init__(self, core: _SubscriptionCore) -> None:
        self._core = core

    @property
    def positions(self) -> Positions:
        """The positions of the events taken so far, for `resume` of a later subscription of any process."""
        return self._core.positions

    def close(self) -> None:
        """Ends the subscription; events that were not taken are discarded."""
        self._core.close()


class Subscription(_Subscription, _Context):
    """The events of some aspects: an iterator that waits for the next one. The end of a `with` statement closes it.

    Events that are not taken are merged by the bus: one waits for each aspect that changed. One thread may iterate
    while others call the methods. The iteration ends after close(), and it raises ReveilleError if the bus refuses the
    subscription. Other calls after close() fail with the code "closed".
    """

    def __iter__(self) -> Subscription:
        return self

    def __next__(self) -> Event:
        while _run(self._core.next()):
            try:
                return self._core.taken.pop()[0][0]
            except IndexError:
                pass  # Another thread was faster.
        raise StopIteration

    def next(self, timeout: Duration | None = None) -> Event | None:
        """Returns the next event; None once the subscription is closed. Raises TimeoutError if there is none in time."""
        while _run(self._core.next(timeout)):
            try:
                return self._core.taken.pop()[0][0]
            except IndexError:
                pass
        return None

    def batches(self) -> Iterator[list[Event]]:
        """Iterates over the events that come together: all of a wake, as one list. None is in two lists."""
        while _run(self._core.next(takes_all=True)):
            try:
                yield self._core.taken.pop()[0]
            except IndexError:
                pass

    enter_background = _blocking(_SubscriptionCore.enter_background)
    enter_foreground = _blocking(_SubscriptionCore.enter_foreground)
    become_inactive = _blocking(_SubscriptionCore.become_inactive)

    def task(self, name: str) -> BackgroundTask:
        """Begins a task: a shell waits for its end before suspending the program. It ends with the `with` statement.

        In the background, the bus waits for 30 seconds by default, shared by all tasks of the process. Five seconds
        before the end, the task is expiring. If the bus is gone, of an earlier version, or refuses the task, nothing
        waits for it, and `failure` is the reason. If the bus restarts, the task begins again with all of its time.

        Args:
            name: A name for `reveille status`: 1 to 128 bytes.
        """
        core = self._core.task(name)
        _run(core.start())
        return BackgroundTask(core)


class _Bus:
    def __init__(self, core: _BusCore) -> None:
        self._core = core

    @property
    def address(self) -> str:
        """The address of the bus, such as "unix:/run/user/1000/reveille/org.reveille.Bus"."""
        return self._core.address

    def close(self) -> None:
        """Ends the connection and all subscriptions. Later calls fail with the code "closed"."""
        self._core.close()


class Bus(_Bus, _Context):
    """A bus: its states, and subscriptions to their changes. The end of a `with` statement closes it.

    Its methods may be called from any thread. They raise ReveilleError. If the bus has restarted, the next call
    reconnects.
    """

    def subscribe(self, *aspects: str, **options: Unpack[SubscriptionOptions]) -> Subscription:
        """Subscribes; every change after the return is an event, or part of one.

        Args:
            aspects: Aspects of the device ("battery"), published names ("org.example.volume"), and patterns
                ("org.example.*"); at least one.
            options: See SubscriptionOptions.
        """
        core = _SubscriptionCore(self._core, aspects, **options)
        _run(core.start())
        return Subscription(core)

    def connection_states(self) -> Iterator[bool]:
        """Iterates over whether the bus is reachable, now and after each change, until this object is closed."""
        return _each(_ReachCore(self._core).next)

    def subscription_changes(self) -> Iterator[SubscriptionChanges]:
        """Iterates over all subscriptions, then over their changes, until the bus object is closed.

        Changes that are not taken are merged. If the bus restarts, all of its subscriptions follow, and those that ended
        meanwhile.
        """
        core = _FollowerCore(self._core)
        return _each(core.next, core.end)

    def demand(self, *names: str) -> Iterator[set[str]]:
        """Iterates over the set of those names that anybody needs now, until the bus object is closed.

        A publisher that measures can stop while nobody does: `for needed in bus.demand("org.example.location"): ...`.
        Changes that are not taken are merged, and each set differs from the one before. The demand continues after a
        restart of the bus.

        Args:
            names: Published names, and patterns such as "org.example.*", which are needed if any of their names could be.
        """
        core = _DemandCore(self._core, names)
        return _each(core.next, core.end)

    enter_background = _blocking(_BusCore.enter_background)
    enter_foreground = _blocking(_BusCore.enter_foreground)
    become_inactive = _blocking(_BusCore.become_inactive)
    get = _blocking(_BusCore.get)
    get_all = _blocking(_BusCore.get_all)
    history = _blocking(_BusCore.history)
    publish = _blocking(_BusCore.publish)
    withdraw = _blocking(_BusCore.withdraw)
    post = _blocking(_BusCore.post)
    refresh = _blocking(_BusCore.refresh)
    aspects = _blocking(_BusCore.aspects)
    info = _blocking(_BusCore.info)
    check = _blocking(_BusCore.check)
    check_all = _blocking(_BusCore.check_all)
    subscriptions = _blocking(_BusCore.subscriptions)
    wake = _blocking(_BusCore.wake)
    hold = _blocking(_BusCore.hold)
    suspend = _blocking(_BusCore.suspend)
    schedule = _blocking(_BusCore.schedule)
    scheduled = _blocking(_BusCore.scheduled)
    cancel_scheduled = _blocking(_BusCore.cancel_scheduled)


def _each(next_value: Callable[[], _Steps[_T | None]], end: Callable[[], None] = lambda: None) -> Iterator[_T]:
    try:
        while (value := _run(next_value())) is not None:
            yield value
    finally:
        end()


def _started(make: Callable[[], _BusCore], wait: bool) -> _Steps[_BusCore]:
    backoff = _Backoff()
    while True:
        try:
            core = make()
            yield from core.start()
            return core
        except ReveilleError as error:
            if not wait or error.code != "no_bus":
                raise
        yield _Ready(time.monotonic() + backoff.next())


def connect(address: str | None = None, *, wait: bool = False) -> Bus:
    """Connects to a bus.

    Args:
        address: "unix:" and an absolute path. The default is $REVEILLE_ADDRESS, otherwise the user's own bus or, if
            nothing serves that, the machine's bus.
        wait: Whether to wait for a bus if there is none.
    """
    def run_aside(steps: _Steps[None]) -> object:
        thread = threading.Thread(target=_run, args=(steps,), name="reveille", daemon=True)
        # The thread inherits a mask of all signals: they are for the program's own threads, whose waits they end.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        # Twice, since an exception can come before the first attempt.
        try:
            try:
                signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
                thread.start()
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return thread

    return Bus(_run(_started(lambda: _BusCore(address, threading.Event, run_aside), wait)))


# --- asyncio


class _Closable(Protocol):
    def close(self) -> None: ...


_Closing = TypeVar("_Closing", bound=_Closable)


class _Opening(Generic[_Closing]):
    """Something that `await` opens, and that `async with` opens and closes."""

    def __init__(self, open_it: Callable[[], typing.Coroutine[Any, Any, _Closing]]) -> None:
        self._open = open_it
        self._opened: _Closing | None = None

    def __await__(self) -> Generator[Any, Any, _Closing]:
        return self._open().__await__()

    async def __aenter__(self) -> _Closing:
        self._opened = await self
        return self._opened

    async def __aexit__(self, *_: object) -> None:
        if self._opened:
            self._opened.close()


def _awaited(
    steps: Callable[Concatenate[Any, _P], _Steps[_T]]
) -> Callable[Concatenate[Any, _P], typing.Coroutine[Any, Any, _T]]:
    """Makes a method of an object for asyncio from that of its core."""

    async def method(self: Any, /, *args: _P.args, **options: _P.kwargs) -> _T:
        return await _run_async(steps(self._core, *args, **options))

    _describe(method, steps)
    return method


async def _each_async(
    next_value: Callable[[], _Steps[_T | None]], end: Callable[[], None] = lambda: None
) -> AsyncIterator[_T]:
    try:
        while (value := await _run_async(next_value())) is not None:
            yield value
    finally:
        end()


class AsyncBackgroundTask(_Task):
    """A task for asyncio; otherwise like BackgroundTask."""

    remaining = _awaited(_TaskCore.remaining)


class AsyncSubscription(_Subscription):
    """The events of some aspects: an asynchronous iterator; otherwise like Subscription.

    Waiting for an event may be cancelled, for example by asyncio.timeout(): no event is lost.
    """

    def __aiter__(self) -> AsyncSubscription:
        return self

    async def __anext__(self) -> Event:
        while await _run_async(self._core.next()):
            if self._core.taken:
                return self._core.taken.pop()[0][0]
        raise StopAsyncIteration

    async def next(self, timeout: Duration | None = None) -> Event | None:
        """See Subscription.next()."""
        while await _run_async(self._core.next(timeout)):
            if self._core.taken:
                return self._core.taken.pop()[0][0]
        return None

    async def batches(self) -> AsyncIterator[list[Event]]:
        """See Subscription.batches()."""
        while await _run_async(self._core.next(takes_all=True)):
            if self._core.taken:
                yield self._core.taken.pop()[0]

    enter_background = _awaited(_SubscriptionCore.enter_background)
    enter_foreground = _awaited(_SubscriptionCore.enter_foreground)
    become_inactive = _awaited(_SubscriptionCore.become_inactive)

    def task(self, name: str) -> _Opening[AsyncBackgroundTask]:
        """Begins a task by `await`, or for the time of an `async with`. See Subscription.task()."""

        async def open_it() -> AsyncBackgroundTask:
            core = self._core.task(name)
            await _run_async(core.start())
            return AsyncBackgroundTask(core)

        return _Opening(open_it)


class AsyncBus(_Bus):
    """A bus for asyncio: it has the methods of Bus, for the tasks of one event loop."""

    def subscribe(self, *aspects: str, **options: Unpack[SubscriptionOptions]) -> _Opening[AsyncSubscription]:
        """Subscribes by `await`, or for the time of an `async with`. See Bus.subscribe()."""

        async def open_it() -> AsyncSubscription:
            core = _SubscriptionCore(self._core, aspects, **options)
            await _run_async(core.start())
            return AsyncSubscription(core)

        return _Opening(open_it)

    def connection_states(self) -> AsyncIterator[bool]:
        """See Bus.connection_states()."""
        return _each_async(_ReachCore(self._core).next)

    def subscription_changes(self) -> AsyncIterator[SubscriptionChanges]:
        """See Bus.subscription_changes()."""
        core = _FollowerCore(self._core)
        return _each_async(core.next, core.end)

    def demand(self, *names: str) -> AsyncIterator[set[str]]:
        """See Bus.demand()."""
        core = _DemandCore(self._core, names)
        return _each_async(core.next, core.end)

    enter_background = _awaited(_BusCore.enter_background)
    enter_foreground = _awaited(_BusCore.enter_foreground)
    become_inactive = _awaited(_BusCore.become_inactive)
    get = _awaited(_BusCore.get)
    get_all = _awaited(_BusCore.get_all)
    history = _awaited(_BusCore.history)
    publish = _awaited(_BusCore.publish)
    withdraw = _awaited(_BusCore.withdraw)
    post = _awaited(_BusCore.post)
    refresh = _awaited(_BusCore.refresh)
    aspects = _awaited(_BusCore.aspects)
    info = _awaited(_BusCore.info)
    check = _awaited(_BusCore.check)
    check_all = _awaited(_BusCore.check_all)
    subscriptions = _awaited(_BusCore.subscriptions)
    wake = _awaited(_BusCore.wake)
    hold = _awaited(_BusCore.hold)
    suspend = _awaited(_BusCore.suspend)
    schedule = _awaited(_BusCore.schedule)
    scheduled = _awaited(_BusCore.scheduled)
    cancel_scheduled = _awaited(_BusCore.cancel_scheduled)


def connect_async(address: str | None = None, *, wait: bool = False) -> _Opening[AsyncBus]:
    """Connects to a bus by `await`, or for the time of an `async with`. See connect()."""

    async def open_it() -> AsyncBus:
        def make() -> _BusCore:
            return _BusCore(address, asyncio.Event, lambda steps: asyncio.ensure_future(_run_async(steps)))

        return AsyncBus(await _run_async(_started(make, wait)))

    return _Opening(open_it)
