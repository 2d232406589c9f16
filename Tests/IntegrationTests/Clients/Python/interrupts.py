# SPDX-License-Identifier: Apache-2.0
"""Raises an exception at every line of reveille.py that a call reaches, as a signal handler can, with both clients.

Each call is interrupted at each of its lines in turn. Afterwards the bus object and the subscription must work: each call
receives its own reply, the newest state arrives, each change is counted once, and the positions are those of the events
that were returned. A watchdog ends a client that hangs, and prints its stack.
"""
import asyncio
import collections
import faulthandler
import inspect
import itertools
import sys

import reveille

# A bus that is there needs no pauses between attempts to connect.
reveille.SHORTEST_PAUSE = 0.001
A, B, C = NAMES = "org.example.a", "org.example.b", "org.example.c"


class Interruption(BaseException):
    pass


async def result(value):
    """The result of a call, of the blocking client or of asyncio's."""
    return await value if inspect.isawaitable(value) else value


async def first(iterator):
    """The first result of an iterator, which is closed."""
    if hasattr(iterator, "__anext__"):
        try:
            return await anext(iterator)
        finally:
            await iterator.aclose()
    try:
        return next(iterator)
    finally:
        iterator.close()


class Life:
    """A subscription whose events are counted."""

    def __init__(self, connect):
        self.connect, self.bus, self.events = connect, None, None
        # The generation of the last event, by name.
        self.taken = {}

    async def begin(self, **options):
        self.bus = await result(self.connect())
        await result(self.bus.publish(A, {"life": 0}))
        self.events = await result(self.bus.subscribe(*NAMES, **options))
        self.taken = {} if options.get("initial") else {event.aspect: event.generation for event in await self.states()}
        return self

    async def states(self):
        return await result(self.bus.get_all(*NAMES))

    def count(self, *events):
        for event in events:
            before = self.taken.get(event.aspect)
            counted = event.changes == 0 if before is None else 0 < event.changes == event.generation - before
            assert counted, f"{event} after generation {before}"
            self.taken[event.aspect] = event.generation

    async def change(self, step):
        for name in NAMES:
            await result(self.bus.publish(name, {"step": step}))

    async def take(self):
        """Takes events up to the newest states."""
        newest = {event.aspect: event.generation for event in await self.states()}
        while self.taken != newest:
            self.count(await result(self.events.next(timeout=20)))
            self.check_positions()

    def check_positions(self):
        generations = self.events.positions["generations"]
        assert all(generations[name] == self.taken[name] for name in self.taken), f"{generations} after {self.taken}"

    async def check(self, number, is_asleep_again):
        """Uses the client after the exception."""
        if self.bus is None:
            return
        for name in (B, A):
            assert (await result(self.bus.get(name))).aspect == name
        if self.events is None:
            return
        self.check_positions()
        await result(self.events.enter_foreground())
        await result(self.bus.publish(A, {"interruption": number}))
        await self.take()
        if not is_asleep_again:
            return
        await result(self.events.enter_background())
        await result(self.bus.publish(A, {"asleep": number}))
        await result(self.events.enter_foreground())
        await self.take()


async def task(life):
    work = await result(life.events.task("work"))
    work.is_expiring, work.failure, await result(work.remaining())
    work.close()


async def single(life):
    life.count(await result(life.events.next()))


async def iteration(life):
    life.count(await anext(life.events) if hasattr(life.events, "__anext__") else next(life.events))


async def batch(life):
    events = life.events.batches()
    life.count(*(await anext(events) if hasattr(events, "__anext__") else next(events)))


async def suspend(life):
    try:
        await result(life.bus.suspend(next(
            entry["subscription"] for entry in await result(life.bus.subscriptions()) if entry["name"] == "life")))
    except reveille.ReveilleError as error:
        assert error.code == "cannot_suspend", error


async def hold(life):
    [entry] = [entry for entry in await result(life.bus.subscriptions()) if entry["name"] == "life"]
    await result(life.bus.hold(entry["subscription"], wake_after=60))
    await result(life.bus.wake(entry["subscription"]))


async def schedule(life):
    await result(life.bus.schedule("x", "org.example.x", every=3600))
    await result(life.bus.scheduled())
    await result(life.bus.cancel_scheduled("x"))


async def publish(life):
    await result(life.bus.publish("org.example.tied", {"on": True}, while_connected=True))
    await result(life.bus.withdraw("org.example.tied"))


async def sleep(life):
    await result(life.events.enter_background())
    await result(life.bus.publish(A, {"asleep": True}))
    await result(life.events.enter_foreground())


async def sleep_for_a_time(life):
    await result(life.events.enter_background(wake_after=0.001))
    await result(life.bus.publish(A, {"asleep": False}))
    life.count(await result(life.events.next()))


CALLS = {
    "connect and subscribe": lambda life: life.begin(initial=True), "next": single, "iteration": iteration,
    "batches": batch, "task": task, "suspend": suspend, "hold and wake": hold, "schedule": schedule,
    "publish and withdraw": publish, "sleep": sleep, "sleep for a time": sleep_for_a_time,
    "become_inactive": lambda life: result(life.events.become_inactive()),
    "background of all": lambda life: result(life.bus.enter_background()),
    "foreground of all": lambda life: result(life.bus.enter_foreground()),
    "history": lambda life: result(life.bus.history(A, limit=1)),
    "aspects": lambda life: result(life.bus.aspects()), "info": lambda life: result(life.bus.info()),
    "refresh": lambda life: result(life.bus.refresh()),
    "post": lambda life: result(life.bus.post("proximity", {"state": "near"})),
    "demand": lambda life: first(life.bus.demand(A, B)),
    "connection_states": lambda life: first(life.bus.connection_states()),
    "subscription_changes": lambda life: first(life.bus.subscription_changes()),
}
# What a call finds: changes that wait, and the state of the subscription.
SCENES = {
    "connect and subscribe": ("nothing",), "next": ("changes", "wake", "initial"), "batches": ("changes", "wake", "initial"),
}
# The calls that change a subscription. These alone run with asyncio too, whose client only waits in another way, and the
# subscription sleeps once more after them.
LONG = ("connect and subscribe", "next", "iteration", "batches", "task", "suspend", "sleep")


async def prepared(connect, scene):
    life = Life(connect)
    if scene == "nothing":
        return life
    await life.begin(name="life", initial=scene == "initial")
    if scene == "wake":
        await result(life.events.enter_background())
    if scene != "initial":
        await life.change("waiting")
        await life.change("waiting too")
    if scene == "wake":
        await result(life.events.enter_foreground())
    return life


async def interrupted(connect, call, scene, number):
    """Interrupts a call at its line of this number; returns the place, or None if there are fewer lines."""
    life = await prepared(connect, scene)
    place, count, passes = None, 0, collections.Counter()

    def trace(frame, event, _):
        nonlocal count, place
        if frame.f_code.co_filename != reveille.__file__:
            return None
        passes[frame.f_lineno] += event == "line"
        # Later passes of a line are like the first ones.
        if event == "line" and passes[frame.f_lineno] <= (2 if call in LONG else 1):
            if count == number:
                place = f"{call} after {scene}: {frame.f_code.co_qualname}, line {frame.f_lineno}"
                raise Interruption
            count += 1
        return trace

    # Kept while the client is used: an interrupted frame must not own anything that is needed.
    error = None
    try:
        sys.settrace(trace)
        await CALLS[call](life)
    except Interruption as interruption:
        error = interruption
    finally:
        sys.settrace(None)
    try:
        await life.check(number, call in LONG)
    except BaseException:
        print(f"after an exception in {place}:", file=sys.stderr)
        raise
    if life.bus:
        life.bus.close()
    return place, error


def run_blocking(steps):
    """Runs a coroutine that does not wait."""
    try:
        steps.send(None)
    except StopIteration as stop:
        return stop.value


async def run_async(steps):
    # The tasks that asyncio's client makes may be interrupted too.
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    return await steps


with reveille.connect() as publisher:
    for name in NAMES:
        publisher.publish(name, {"step": 0})
lines = collections.Counter()
for run, connect in (
    (run_blocking, reveille.connect), (lambda steps: asyncio.run(run_async(steps)), reveille.connect_async)
):
    for call in CALLS if run is run_blocking else LONG:
        for scene in SCENES.get(call, ("changes",)):
            for number in itertools.count():
                faulthandler.dump_traceback_later(30, exit=True)
                place, _ = run(interrupted(connect, call, scene, number))
                if not place:
                    break
            lines[call] += number
    faulthandler.cancel_dump_traceback_later()
print("passed" if lines["next"] > 500 and min(lines.values()) > 50 else f"only {lines}")
