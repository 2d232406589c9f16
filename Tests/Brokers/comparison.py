"""Deliveries, sleepers and memory of the bus and of other brokers."""
from __future__ import annotations

import collections
import os
import pathlib
import statistics
import time
from typing import Callable, NamedTuple

import brokers
import plot
from broker import MOST_SUBSCRIBERS, Broker, Clients
from brokers import BareLoop, Reveille

# The numbers of subscribers at which all brokers are compared.
COUNTS = [1, 10, 100, 1_000]
# Each round is beside one of the baseline, and the rounds of all brokers alternate.
ROUNDS = 7
# The deliveries of a round, so that it takes some ten milliseconds, and the fewest and most messages for them.
DELIVERIES = 10_000
FEWEST, MOST = 3, 3_000
# The fewest messages of a round from which the 99th percentile is computed.
TIMED = 100
# The posts of a round beside sleepers, and the calls that wake some sleepers at once.
POSTS = 1_000
BATCH = 100
# The numbers of unread messages.
UNREAD = [0, 1_000, 10_000, 25_000, 50_000, 75_000, 100_000]


class Cost(NamedTuple):
    """Microseconds for each delivery: of the broker's processors, and until all subscribers have read."""
    processor: float
    time: float


def cost(broker: Broker, deliveries: int, action: Callable[[], object]) -> Cost:
    processor, start = broker.processor_time(), time.monotonic()
    action()
    seconds = time.monotonic() - start
    return Cost((broker.processor_time() - processor) / deliveries, seconds * 1e6 / deliveries)


def ratio(costs: list[Cost], baseline: list[Cost], field: str) -> str:
    """The median ratio to the baseline in the same rounds, and the least and the largest."""
    values = [getattr(one, field) / getattr(other, field) for one, other in zip(costs, baseline)]
    return f"{statistics.median(values):.2f} ({min(values):.2f}–{max(values):.2f})"


def median(costs: list[Cost], field: str) -> float:
    return statistics.median(getattr(cost, field) for cost in costs)


def table(*rows: list[object], right: bool = False) -> None:
    """Prints a table, whose first row has the titles."""
    print()
    for index, row in enumerate(rows):
        print("| " + " | ".join(map(str, row)) + " |")
        if index == 0:
            print("| --- |" + (" ---: |" if right else " --- |") * (len(row) - 1))


def start(kind: type[Broker], subscribers: int = 0) -> tuple[Broker, Clients | None] | None:
    """Starts a broker, with a number of clients; `None` for a missing broker. The baseline and the bus are never missing."""
    try:
        broker = kind()
        return broker, Clients(broker, subscribers) if subscribers else None
    except OSError as error:
        if kind in (BareLoop, Reveille):
            raise
        print(f"{kind.name} is skipped, because it is not installed or does not start: {error}")
        return None


def measure_deliveries(kinds: list[type[Broker]], count: int, costs: dict, times: dict) -> None:
    """Adds the costs and the times by name, number of subscribers, and number of processors."""
    running = [pair for kind in kinds if (pair := start(kind, count))]
    messages = min(max(DELIVERIES // count, TIMED if count in COUNTS else FEWEST), MOST)
    # Brokers run on the first processor; their clients there too, or on the second.
    for processors in range(1, min(2, os.cpu_count()) + 1):
        os.sched_setaffinity(0, {processors - 1})
        for _ in range(ROUNDS):
            for broker, clients in running:
                key = (broker.name, count, processors)
                costs[key].append(
                    cost(broker, messages * count, lambda: times[key].extend(clients.publish(messages))))
    os.sched_setaffinity(0, {0})
    for broker, clients in running:
        clients.close()
        broker.stop()


def compare_deliveries(plots: pathlib.Path) -> None:
    costs, times = collections.defaultdict(list), collections.defaultdict(list)
    for count in COUNTS:
        measure_deliveries(brokers.ALL, count, costs, times)
    larger = sorted(count for count in {3_000, MOST_SUBSCRIBERS} if count <= MOST_SUBSCRIBERS)
    for count in larger:
        measure_deliveries([BareLoop, Reveille], count, costs, times)
    names = dict.fromkeys(name for name, _, _ in costs)

    def rows(title: str, counts: list[int], processors: int, cell: Callable[[tuple], str]) -> None:
        table([title, *counts], *(
            [name, *(cell((name, count, processors)) if (name, count, processors) in costs else "" for count in counts)]
            for name in names))

    for processors in sorted({key[2] for key in costs}):
        place = "clients on the same core" if processors == 1 else "clients on another core"
        for field, title in (("processor", "CPU time"), ("time", "time")):
            rows(f"{title}, {place}", COUNTS + larger, processors, lambda key: (
                f"{median(costs[key], field):.2f} µs" if key[0] == BareLoop.name
                else ratio(costs[key], costs[BareLoop.name, *key[1:]], field)))

        def tail(key: tuple) -> str:
            late = statistics.quantiles(times[key], n=100)[98]
            return f"{late / statistics.median(times[key]):.2f} ({late:.0f} µs)"
        rows(f"99% of the messages, as a ratio to their median, {place}", COUNTS, processors, tail)
    # The processor time with all on one core, without the cost of waking another.
    plot.write(
        plots / "delivery.svg", "CPU time of the broker for each delivery", "subscribers", "microseconds",
        {name: [(count, median(costs[name, count, 1], "processor"))
                for count in COUNTS + larger if (name, count, 1) in costs] for name in names}, True)


def compare_sleepers() -> None:
    """A post beside sleeping subscribers and beside none, and a wake of all beside the baseline's delivery to as many."""
    count = MOST_SUBSCRIBERS
    crowded, empty, bare = Reveille(), Reveille(), BareLoop()
    sleepers = [crowded.connection() for _ in range(count)]
    names = [crowded.subscribe(sleeper, state="background") for sleeper in sleepers]
    # A post is delivered to one subscriber, beside the sleepers or alone.
    beside_clients, alone_clients = Clients(crowded, 1), Clients(empty, 1)
    beside, alone = [], []
    for _ in range(ROUNDS):
        alone.append(cost(empty, POSTS, lambda: alone_clients.publish(POSTS)))
        beside.append(cost(crowded, POSTS, lambda: beside_clients.publish(POSTS)))

    def costs(title: str, rows: list[tuple[str, list[Cost]]]) -> None:
        table(
            [title, "CPU time", "ratio of the CPU time", "time", "ratio of the time"],
            *([name, f"{median(row, 'processor'):.2f} µs", ratio(row, rows[0][1], "processor"),
               f"{median(row, 'time'):.2f} µs", ratio(row, rows[0][1], "time")] for name, row in rows))
    costs("a post", [("beside no sleepers", alone), (f"beside {count} sleepers", beside)])

    awake, asleep, control = Clients(bare, count), Clients(crowded, sleepers), crowded.connection()

    def set_state(state: str, after_batch: Callable[[], None]) -> None:
        for first in range(0, count, BATCH):
            control.sendall(b"".join(
                crowded.call("SetState", "oneway", subscription=name, state=state)
                for name in names[first:first + BATCH]))
            after_batch()

    def wake() -> None:
        received = 0

        def receive_some() -> None:
            nonlocal received
            received += asleep.receive(count, 0)
        set_state("foreground", receive_some)
        while received < count:
            some = asleep.receive(count - received)
            if some == 0:
                raise TimeoutError(f"{count - received} sleepers were not woken")
            received += some

    sent, woken = [], []
    for _ in range(ROUNDS):
        sent.append(cost(bare, count, lambda: awake.publish(1)))
        # A change for every sleeper.
        beside_clients.publish(1)
        woken.append(cost(crowded, count, wake))
        set_state("background", lambda: None)
        # The reply follows the last call.
        crowded.ask(control, crowded.fence)
    costs(f"{count} subscribers, each", [("sent by the bare loop", sent), ("woken by the bus", woken)])


def compare_memory(plots: pathlib.Path) -> None:
    """The memory of each broker while one of two subscribers does not read.

    The other subscriber reads each message, which shows that the broker has processed the message.
    """
    series: plot.Series = {}
    for broker, reader in (pair for kind in brokers.ALL if (pair := start(kind, 1))):
        stalled = broker.subscriber()
        series[broker.name] = []
        published = 0
        for count in UNREAD:
            if count > published:
                reader.publish(count - published)
            published = count
            series[broker.name].append((count, broker.resident() / 1024))
        stalled.close()
        broker.stop()
    table(["resident memory in MB after unread messages", *UNREAD], *(
        [name, *(f"{megabytes:.1f}" for _, megabytes in points)] for name, points in series.items()), right=True)
    plot.write(plots / "memory.svg", "Memory of the broker", "messages that one subscriber has not read", "megabytes",
               series, False)


def run(plots: pathlib.Path) -> None:
    os.sched_setaffinity(0, {0})
    compare_deliveries(plots)
    compare_sleepers()
    compare_memory(plots)
