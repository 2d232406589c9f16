"""The steps that a program of random clients takes."""
import random
import time
from typing import Any, Callable

import words
from history import Recorder
from stream import Stream
from wire import Client
from words import BUS, SCHEDULE

STREAMS = 4


class Actions:
    """Clients of one process, and what they may do next."""

    def __init__(self, path: str, socket: str, seed: int, steps: int) -> None:
        self.chance = random.Random(seed)
        self.recorder = Recorder(path)
        self.socket = socket
        self.steps = steps
        self.tag = f"{seed:x}"
        self.streams: list[Stream] = []
        self.controls: list[Client | None] = [None, None]
        self.others: list[Client] = []
        self.strangers: list[str] = []
        # Instance and positions that closed streams had: what a client would store.
        self.stored: list[tuple[list[str], list[str] | None, str, dict[str, int]]] = []
        self.entries: list[str] = []
        self.is_quiet = False

    def store(self, stream: Stream) -> bool:
        """Remembers the positions of a stream that has ended. Returns False."""
        if stream.instance:
            self.stored = self.stored[-5:] + [
                (stream.aspects, stream.domains, stream.instance, dict(stream.positions))]
        return False

    def connect(self, label: str = "") -> Client | None:
        try:
            return Client(self.recorder, self.socket, label)
        except OSError:
            time.sleep(0.005)  # The bus is being restarted.
            return None

    def control(self) -> Client | None:
        index = self.chance.randrange(len(self.controls))
        client = self.controls[index]
        if client is None or not client.is_open:
            client = self.controls[index] = self.connect()
            if client is not None:
                client.call(BUS + "GetState", {"aspects": [self.chance.choice(words.NAMES)]})
        return client

    def ask(self, method: str, parameters: dict[str, Any], interface: str = BUS) -> dict[str, Any]:
        client = self.control()
        reply = client.call(interface + method, parameters) if client is not None else None
        return reply["parameters"] if reply is not None and "error" not in reply else {}

    def step(self) -> None:
        actions: list[tuple[Callable[[], None], float]] = [
            (self.publish, 40), (self.subscribe, 5), (self.unsubscribe, 2), (self.hold, 12), (self.stall, 4),
            (self.get_state, 10), (self.get_history, 3), (self.list, 2), (self.post, 10), (self.describe, 0.5),
            (self.refresh, 0.3), (self.schedule, 2), (self.cancel, 0.5), (self.invalid, 4), (self.garbage, 1),
            (self.leave_unread, 0.5), (self.begin_task, 1), (self.hang_up, 1), (self.call_behind_stream, 0.5),
        ]
        self.chance.choices([action for action, _ in actions], [weight for _, weight in actions])[0]()

    def publish(self) -> None:
        client = self.control()
        if client is None:
            return
        calls = [words.publication(self.chance) for _ in range(self.chance.choice([1, 1, 1, 5]))]
        for text in calls:
            client.send(BUS + "Publish", text=text, oneway=self.chance.random() < 0.1)
        while client.is_waiting and client.receive(10) is not None:
            pass

    def post(self) -> None:
        aspect = self.chance.choice([*words.POSTED, "defaults", "defaults", "defaults"])
        self.ask("Post", {aspect: self.chance.choice(words.POSTED[aspect])})

    def subscribe(self) -> None:
        if len(self.streams) >= STREAMS:
            return
        client = self.connect("s")
        if client is None:
            return
        parameters: dict[str, Any] = {"aspects": words.aspects(self.chance), "name": words.NAME + self.tag}
        if self.stored and self.chance.random() < 0.7:
            aspects, domains, instance, positions = self.chance.choice(self.stored)
            parameters |= {
                "aspects": aspects, "instance": instance,
                "resume": [{"aspect": name, "generation": position} for name, position in positions.items()],
            }
            if domains:
                parameters["domains"] = domains
            if self.chance.random() < 0.05 and parameters["resume"]:
                parameters["resume"][0]["generation"] += 2**40
        elif "defaults" in parameters["aspects"] and self.chance.random() < 0.8:
            parameters["domains"] = self.chance.choice(words.LISTS)
        if self.chance.random() < 0.4:
            parameters["initial"] = True
        if self.chance.random() < 0.2:
            parameters["state"] = "background"
        if self.chance.random() < 0.7:
            parameters["policies"] = words.policies(self.chance, parameters["aspects"])
        self.streams.append(Stream(client, parameters))

    def unsubscribe(self) -> None:
        if self.streams:
            stream = self.streams.pop(self.chance.randrange(len(self.streams)))
            stream.client.close()
            self.store(stream)

    def stall(self) -> None:
        for stream in self.streams:
            stream.is_stalled = self.chance.random() < 0.3

    def hold(self) -> None:
        own = [stream.identifier for stream in self.streams if stream.identifier]
        pool = own if self.chance.random() < 0.7 else self.strangers
        if not pool:
            return
        state = self.chance.choice(["background", "background", "foreground", "foreground", "inactive"])
        parameters: dict[str, Any] = {"subscription": self.chance.choice(pool), "state": state}
        if state == "background" and self.chance.random() < 0.4:
            parameters["wakeAfter"] = self.chance.choice([1, 20, 100, 400])
        self.ask("SetState", parameters)

    def get_state(self) -> None:
        pool = words.NAMES + ["battery", "proximity", "orientation", "light", "org.opinion.*", "org.opinion.never"]
        self.ask("GetState", {"aspects": self.chance.sample(pool, self.chance.randint(1, 5))})

    def get_history(self) -> None:
        parameters: dict[str, Any] = {"aspect": self.chance.choice(words.NAMES + ["proximity", "battery"])}
        if self.chance.random() < 0.6:
            parameters["limit"] = self.chance.choice([1, 2, 10])
        self.ask("GetHistory", parameters)

    def list(self) -> None:
        subscriptions = self.ask("ListSubscriptions", {}).get("subscriptions", [])
        self.strangers = [
            entry["subscription"] for entry in subscriptions if (entry.get("name") or "").startswith(words.NAME)]

    def describe(self) -> None:
        self.ask("DescribeAspects", {})
        self.ask("GetInfo", {}, "org.varlink.service.")

    def refresh(self) -> None:
        self.ask("Refresh", {})

    def schedule(self) -> None:
        identifier = f"{self.tag}-{self.chance.randrange(1 << 30):x}"
        entry: dict[str, Any] = {"id": identifier, "aspect": words.FIRINGS + identifier}
        if self.chance.random() < 0.7:
            entry["value"] = {"fired": identifier}
        wall = time.time_ns() // 1_000
        if self.chance.random() < 0.7:
            entry["at"] = wall + self.chance.choice([-5_000_000, 0, 50_000, 400_000, 1_500_000])
        else:
            entry["every"] = self.chance.choice([1_000, 1_500])
            entry["until"] = wall + 4_000_000
        self.entries = self.entries[-9:] + [identifier]
        self.ask("Add", {"entry": entry}, SCHEDULE)

    def cancel(self) -> None:
        self.ask("List", {}, SCHEDULE)
        if self.entries:
            self.ask("Cancel", {"id": self.chance.choice(self.entries)}, SCHEDULE)

    def invalid(self) -> None:
        method, parameters, flags = words.invalid(self.chance)
        client = self.control()
        if client is not None:
            client.send(method, parameters, more=flags.get("more", False), upgrade=flags.get("upgrade", False))
            client.receive(10)

    def garbage(self) -> None:
        client = self.connect("g")
        if client is not None:
            client.send_raw(self.chance.choice(words.GARBAGE))
            self.keep(client)

    def leave_unread(self) -> None:
        client = self.connect("u")
        if client is not None:
            for _ in range(self.chance.choice([1, 20])):
                client.send(BUS + self.chance.choice(["GetState", "ListSubscriptions", "DescribeAspects"]), {})
            self.keep(client)

    def begin_task(self) -> None:
        own = [stream.identifier for stream in self.streams if stream.identifier]
        client = self.connect("t") if own else None
        if client is not None:
            client.send(BUS + "BeginTask", {"subscription": self.chance.choice(own), "name": "work"}, more=True)
            client.receive(10)
            self.keep(client)

    def keep(self, client: Client) -> None:
        """Keeps a connection open for a while."""
        self.others.append(client)
        if len(self.others) > 5:
            self.others.pop(0).close()

    def hang_up(self) -> None:
        client = self.controls[self.chance.randrange(len(self.controls))]
        if client is not None:
            client.close()

    def call_behind_stream(self) -> None:
        if self.streams:
            self.chance.choice(self.streams).client.send(BUS + "Publish", {"aspect": "org.opinion.never", "value": {}})
