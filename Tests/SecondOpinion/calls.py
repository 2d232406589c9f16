"""A history as calls, connections and lives of the bus."""
from dataclasses import dataclass, field
from typing import Any

from history import Record

BUS = "org.reveille.Bus."
SCHEDULE = "org.reveille.Schedule."
FOREVER = 1 << 62


@dataclass(eq=False)
class Reply:
    since: int
    at: int
    parameters: dict[str, Any]
    error: str | None
    continues: bool


@dataclass(eq=False)
class Connection:
    client: str
    pid: int
    bus: int
    opened: int
    # The number of the life of the bus.
    life: int = 0
    closed: int = FOREVER
    closed_by: str | None = None
    raw: int = FOREVER
    calls: list["Call"] = field(default_factory=list)


@dataclass(eq=False)
class Call:
    connection: Connection
    number: int
    method: str
    parameters: dict[str, Any]
    at: int
    flags: set[str]
    replies: list[Reply] = field(default_factory=list)

    @property
    def settings(self) -> str:
        """The name of the aspect `defaults` for this call. Each list of domains counts as an aspect of its own."""
        domains = self.parameters.get("domains") if self.method == BUS + "Subscribe" else None
        return " ".join(["defaults", *sorted(set(domains))]) if isinstance(domains, list) else "defaults"

    @property
    def result(self) -> Reply | None:
        """The final reply, if it came."""
        return self.replies[-1] if self.replies and not self.replies[-1].continues else None

    @property
    def succeeded(self) -> bool:
        return bool(self.replies) and self.replies[-1].error is None

    @property
    def end(self) -> int:
        """When its effect was over for certain: its final reply, or a later one of its connection."""
        if self.result is not None:
            return self.result.at
        if "oneway" in self.flags:
            return min((later.replies[0].at for later in self._later() if later.replies), default=FOREVER)
        return FOREVER

    def _later(self) -> list["Call"]:
        # A few are enough: the first answered one counts.
        return self.connection.calls[self.number:self.number + 12]

    def __str__(self) -> str:
        name = self.method.rsplit(".", 1)[-1]
        return f"{name} {self.number} of {self.connection.client} at {self.at}"


@dataclass(eq=False)
class Life:
    """A process of the bus."""
    bus: int
    began: int
    term: int = FOREVER
    kill: int = FOREVER
    exited: int = FOREVER
    code: int | None = None
    is_faulty: bool = False
    instances: set[str] = field(default_factory=set)

    @property
    def instance(self) -> str | None:
        return next(iter(self.instances)) if len(self.instances) == 1 else None


class Run:
    """All of a history."""

    def __init__(self, records: list[Record]) -> None:
        self.own: list[str] = []
        # The time of day less the clock of the record.
        self.wall = 0
        self.quiet = FOREVER
        self.must_be_quiet = False
        self.has_bus_events = False
        self.connections: dict[str, Connection] = {}
        self.lives: list[Life] = []
        self.problems: list[str] = []
        # When programs were killed: their connections end then.
        self.ends: dict[int, int] = {}
        self._alive: dict[int, int] = {}
        for record in records:
            getattr(self, "_" + record["kind"])(record)
        # Without records of its end, a life is over when the next one has begun.
        for life, following in zip(self.lives, self.lives[1:]):
            life.exited = min(life.exited, following.began)
        self.calls = [call for connection in self.connections.values() for call in connection.calls]
        self.calls.sort(key=lambda call: call.at)
        for call in self.calls:
            for reply in call.replies if call.settings != "defaults" else ():
                for event in reply.parameters.get("events", []):
                    if event["aspect"] == "defaults":
                        event["aspect"] = call.settings
            for reply in call.replies[:1]:
                if call.method == BUS + "Subscribe" or call.method in (BUS + "GetState", BUS + "GetHistory"):
                    if "instance" in reply.parameters:
                        self.lives[call.connection.life].instances.add(reply.parameters["instance"])

    def instance(self, connection: Connection) -> str | None:
        return self.lives[connection.life].instance

    def _life(self, bus: int, at: int) -> int:
        if bus not in self._alive:
            self._alive[bus] = len(self.lives)
            self.lives.append(Life(bus, at))
        return self._alive[bus]

    def _scope(self, record: Record) -> None:
        self.own += record["own"]
        self.wall = record.get("wall", 0)
        self.must_be_quiet |= record.get("quiet", False)

    def _bus(self, record: Record) -> None:
        self.has_bus_events = True
        # A client may have connected before the harness noted the start.
        known = self._alive.get(record["pid"])
        if record["event"] == "start" and known is not None and self.lives[known].exited < FOREVER:
            del self._alive[record["pid"]]
        life = self.lives[self._life(record["pid"], record["at"])]
        life.is_faulty |= record.get("faulty", False)
        if record["event"] == "exit":
            life.exited, life.code = record["at"], record["code"]
        elif record["event"] in ("term", "kill"):
            setattr(life, record["event"], record["at"])

    def _process(self, record: Record) -> None:
        if record["event"] in ("kill", "end"):
            self.ends.setdefault(record["pid"], record["at"])

    def _open(self, record: Record) -> None:
        connection = Connection(record["client"], record["pid"], record["bus"], record["at"])
        connection.life = self._life(record["bus"], record["at"])
        self.connections[record["client"]] = connection

    def _call(self, record: Record) -> None:
        connection = self.connections[record["client"]]
        flags = {name for name in ("more", "oneway", "upgrade") if record.get(name)}
        connection.calls.append(
            Call(connection, record["call"], record["method"], record["parameters"], record["at"], flags))

    def _reply(self, record: Record) -> None:
        connection = self.connections[record["client"]]
        if record["call"] is None or "broken" in record:
            if connection.raw == FOREVER or "broken" in record:
                self.problems.append(f"an unexpected frame on {connection.client} at {record['at']}: {record}")
            return
        call = connection.calls[record["call"] - 1]
        call.replies.append(Reply(
            record["since"], record["at"], record["parameters"], record.get("error"), record.get("continues", False)))

    def _close(self, record: Record) -> None:
        connection = self.connections[record["client"]]
        connection.closed, connection.closed_by = record["at"], record["by"]

    def _raw(self, record: Record) -> None:
        self.connections[record["client"]].raw = record["at"]

    def _quiet(self, record: Record) -> None:
        self.quiet = record["at"]

    def end_of(self, connection: Connection) -> int:
        """The earliest moment at which the bus may have seen the connection end."""
        life = self.lives[connection.life]
        closed = connection.closed
        if connection.closed_by == "bus":
            # It may have ended at any time after it was used last.
            closed = max([connection.opened, *(reply.at for call in connection.calls for reply in call.replies)])
        return min(closed, self.ends.get(connection.pid, FOREVER), life.term, life.kill, connection.raw)

