# SPDX-License-Identifier: Apache-2.0
"""Raises an exception at every line of reveille.py that a scenario reaches, as a signal handler can, with both clients.

Afterwards the bus object and the subscription must work: each call receives its own reply, the newest state arrives, and
each change is counted once. A watchdog ends a client that hangs, and prints its stack.
"""
import asyncio
import collections
import faulthandler
import inspect
import itertools
import sys

import reveille

# Later passes of a line are like the first ones.
PASSES = 3
A, B, C = "org.example.a", "org.example.b", "org.example.c"


class Interruption(BaseException):
    pass


async def result(value):
    """The result of a call, of the blocking client or of asyncio's."""
    return await value if inspect.isawaitable(value) else value


class Scenario:
    bus = events = None

    def __init__(self, connect):
        self.connect = connect
        # The generation of the last event, by name.
        self.taken = {}

    async def run(self):
        self.bus = await result(self.connect())
        await result(self.bus.publish(A, {"step": 1}))
        self.events = await result(self.bus.subscribe(A, "org.example.*", initial=True))
        await self.take()
        await result(self.events.enter_background())
        await result(self.bus.publish(A, {"step": 2}))
        await result(self.bus.get(B))
        await result(self.events.enter_foreground())
        await self.take()
        await result(self.events.enter_background(wake_after=0.001))
        await result(self.bus.publish(A, {"step": 3}))
        await self.take()
        task = await result(self.events.task("work"))
        task.is_expiring, await result(task.remaining())
        task.close()

    async def take(self):
        """Takes events up to the newest state of A."""
        newest = (await result(self.bus.get(A))).state
        while (event := await result(self.events.next())).state != newest:
            self.count(event)
        self.count(event)

    def count(self, event):
        before = self.taken.get(event.aspect)
        counted = event.changes == 0 if before is None else 0 < event.changes == event.generation - before
        assert counted, f"{event} after generation {before}"
        # First: an exception can come while the positions are read.
        self.taken[event.aspect] = event.generation
        assert self.events.positions["generations"].get(event.aspect) == event.generation

    async def check(self, number):
        """Uses the client after the exception."""
        if self.bus is None:
            return
        for name in (B, C, A):
            assert (await result(self.bus.get(name))).aspect == name
        assert (await result(self.bus.check("publish")))["publish"]["answer"] == "yes"
        if self.events is not None:
            await result(self.events.enter_foreground())
            await result(self.bus.publish(A, {"interruption": number}))
            await self.take()
            await result(self.events.enter_background())
            await result(self.bus.publish(A, {"asleep": number}))
            await result(self.events.enter_foreground())
            await self.take()


async def interrupted(connect, number):
    """Runs the scenario up to its line of this number; returns the place, or None if there are fewer lines."""
    scenario, place, count, passes = Scenario(connect), None, 0, collections.Counter()

    def trace(frame, event, _):
        nonlocal count, place
        if frame.f_code.co_filename != reveille.__file__:
            return None
        passes[frame.f_lineno] += event == "line"
        if event == "line" and passes[frame.f_lineno] <= PASSES:
            if count == number:
                place = f"{frame.f_code.co_qualname}, line {frame.f_lineno}"
                raise Interruption
            count += 1
        return trace

    # Kept while the client is used: an interrupted frame must not own anything that is needed.
    error = None
    try:
        sys.settrace(trace)
        await scenario.run()
    except Interruption as interruption:
        error = interruption
    finally:
        sys.settrace(None)
    try:
        await scenario.check(number)
    except BaseException:
        print(f"after an exception in {place}:", file=sys.stderr)
        raise
    if scenario.bus:
        scenario.bus.close()
    return place, error


def run_blocking(steps):
    """Runs a coroutine that does not wait."""
    try:
        steps.send(None)
    except StopIteration as stop:
        return stop.value


with reveille.connect() as publisher:
    for name in (A, B, C):
        publisher.publish(name, {"step": 0})
lines = []
for run, connect in ((run_blocking, reveille.connect), (asyncio.run, reveille.connect_async)):
    for number in itertools.count():
        faulthandler.dump_traceback_later(30, exit=True)
        place, _ = run(interrupted(connect, number))
        if not place:
            break
    faulthandler.cancel_dump_traceback_later()
    lines.append(number)
print("passed" if min(lines) > 500 else f"only {lines} lines")
