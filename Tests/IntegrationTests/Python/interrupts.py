# SPDX-License-Identifier: Apache-2.0
"""Raises an exception at every line of reveille.py that a scenario reaches, as a signal handler can.

Afterwards the bus object and the subscription must work: each call receives its own reply, and the newest state arrives.
A watchdog ends a client that hangs, and prints its stack.
"""
import collections
import faulthandler
import itertools
import sys

import reveille

# Later passes of a line are like the first ones.
PASSES = 3
A, B, C = "org.example.a", "org.example.b", "org.example.c"


class Interruption(BaseException):
    pass


class Scenario:
    bus = events = None

    def run(self):
        self.bus = reveille.connect()
        self.bus.publish(A, {"step": 1})
        self.events = self.bus.subscribe(A, "org.example.*", initial=True)
        self.take()
        self.events.enter_background()
        self.bus.publish(A, {"step": 2})
        self.bus.get(B)
        self.events.enter_foreground()
        self.take()
        self.events.enter_background(wake_after=0.001)
        self.bus.publish(A, {"step": 3})
        self.take()
        with self.events.task("work") as task:
            task.is_expiring, task.remaining()

    def take(self):
        """Takes events up to the newest state of A."""
        newest = self.bus.get(A).state
        while next(self.events).state != newest:
            pass

    def check(self, number):
        """Uses the client after the exception."""
        if self.bus is None:
            return
        for name in (B, C, A):
            assert self.bus.get(name).aspect == name
        assert self.bus.check("publish")["publish"]["answer"] == "yes"
        if self.events is not None:
            self.events.enter_foreground()
            self.bus.publish(A, {"interruption": number})
            self.take()
            self.events.enter_background()
            self.bus.publish(A, {"asleep": number})
            self.events.enter_foreground()
            self.take()


def interrupted(number):
    """Runs the scenario up to its line of this number; returns the place, or None if there are fewer lines."""
    scenario, place, count, passes = Scenario(), None, 0, collections.Counter()

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
        scenario.run()
    except Interruption as interruption:
        error = interruption
    finally:
        sys.settrace(None)
    try:
        scenario.check(number)
    except BaseException:
        print(f"after an exception in {place}:", file=sys.stderr)
        raise
    if scenario.bus:
        scenario.bus.close()
    return place, error


with reveille.connect() as publisher:
    for name in (A, B, C):
        publisher.publish(name, {"step": 0})
for number in itertools.count():
    faulthandler.dump_traceback_later(30, exit=True)
    place, _ = interrupted(number)
    if not place:
        break
faulthandler.cancel_dump_traceback_later()
print("passed" if number > 500 else f"only {number} lines")
