"""A bus with its subscribers and a publisher, for scenarios: what they do together, and what must hold at the end."""
from __future__ import annotations

import typing

import bus as buses
import publisher
import subscriber
import wire
import world


class Crowd:
    """The programs around one bus."""

    def __init__(self, place: world.World, configuration: str = "{}") -> None:
        self.place = place
        self.bus = buses.Bus(place, configuration)
        self.publisher = publisher.Publisher(self.bus)
        self.control = publisher.Publisher(self.bus, "control")
        self.subscribers: list[subscriber.Subscriber] = []

    def subscribe(self, name: str, aspects: list[str], **options: typing.Any) -> subscriber.Subscriber:
        """Adds a subscriber, and waits until it is one."""
        added = subscriber.Subscriber(self.bus, name, aspects, **options)
        self.subscribers.append(added)
        self.place.wait(f"a subscription: {added}", lambda: added.is_connected)
        return added

    def set_state(self, sleeper: subscriber.Subscriber, state: str, **options: typing.Any) -> None:
        """Sends a subscriber to the background or wakes it, whichever subscription it has by now."""
        sleeper.is_asleep = state != "foreground"
        sleeper.is_quiet = False
        while True:
            self.place.wait(lambda: f"a subscription: {sleeper}", lambda: sleeper.is_connected)
            try:
                self.control.call("SetState", subscription=sleeper.subscription, state=state, **options)
                break
            except publisher.Refused as refusal:
                if refusal.error != "org.reveille.Bus.NoSuchSubscription":
                    raise
                # The connection has ended, but the client has not noticed yet.
                self.place.drain()
        # What was sent before the reply is there.
        self.place.drain()
        sleeper.is_quiet = state == "background"

    def sleep(self, sleeper: subscriber.Subscriber) -> None:
        self.set_state(sleeper, "background")

    def wake(self, sleeper: subscriber.Subscriber) -> None:
        self.set_state(sleeper, "foreground")

    def publish(self, name: str, value: typing.Any, is_tied: bool = False) -> None:
        self.publisher.publish(name, value, is_tied)

    def agree(self) -> None:
        """Waits until each subscriber that is awake has the newest state of each name that it asked for."""
        def missing() -> list[str]:
            return [f"{name} = {value} for {one}" for name, (value, _) in self.publisher.states.items()
                    for one in self.subscribers
                    if not one.is_closed and not one.is_asleep and self.concerns(one, name)
                    and not (one.is_connected and one.has(name, value))]
        self.place.wait(lambda: "; ".join(missing()), lambda: not missing())

    @staticmethod
    def concerns(one: subscriber.Subscriber, name: str) -> bool:
        return any(name == aspect or aspect.endswith(".*") and name.startswith(aspect[:-1]) for aspect in one.aspects)

    def end(self) -> None:
        """Ends the life with the fault, and checks the next ones, after SIGTERM and after SIGKILL: all resume and agree."""
        self.bus.stop()
        self.check_start()
        self.publish("org.example.a", {"end": 1})
        self.agree()
        self.bus.settle()
        self.bus.kill()
        self.place.drain()
        self.check_start()
        self.check_listing()

    def check_start(self) -> None:
        """Starts a bus without a fault, and checks that all have the newest states."""
        self.bus.start()
        for sleeper in self.subscribers:
            if sleeper.is_asleep and not sleeper.is_closed:
                self.wake(sleeper)
        self.agree()

    def check_listing(self) -> None:
        """Checks that the bus has exactly the subscriptions that there are."""
        self.place.wait("all subscriptions", lambda: all(one.is_connected or one.is_closed for one in self.subscribers))
        listed = self.control.call("ListSubscriptions")["subscriptions"]
        names = sorted(one.name for one in self.subscribers if not one.is_closed)
        if sorted(entry["name"] for entry in listed) != names:
            raise world.Broken("listing", f"{names} are there, and {listed} are listed")


def run_calls(crowd: Crowd, calls: list[tuple[str, wire.Object]]) -> None:
    """Makes calls whose replies are of no interest; each is answered."""
    for method, parameters in calls:
        crowd.control.call(method, **parameters)
