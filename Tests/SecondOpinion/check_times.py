"""When events come: none in the background, none stale, none missing, none before its interval is over."""
from typing import Any, Iterator


from calls import FOREVER, Reply, Run
from check_values import Facts
from json_values import NULL
from streams import Stream
from writes import Writes

# Replies longer than this may leave events to the next one.
LONG = 900_000


def violations(run: Run, writes: Writes, facts: Facts, streams: list[Stream]) -> Iterator[str]:
    for stream in streams:
        times = _Times(run, writes, facts, stream)
        for before, reply in zip([None, *stream.replies], stream.replies):
            if reply.error is None:
                yield from times.reply(reply, before)
        yield from times.intervals()


class _Times:
    def __init__(self, run: Run, writes: Writes, facts: Facts, stream: Stream) -> None:
        life = run.lives[stream.call.connection.life]
        self.ended = min(life.term, life.kill, life.exited)
        self.writes = writes
        self.facts = facts
        self.stream = stream
        self.positions: dict[str, int] = {}
        self.names = [name for name in writes.by_instance.get(stream.instance, ()) if stream.includes(name)]
        if stream.replies[0].parameters.get("resumed"):
            for position in stream.resume:
                self.positions[position["aspect"]] = position["generation"]

    def reply(self, reply: Reply, before: Reply | None) -> Iterator[str]:
        """Judges a reply, which was sent after `before` had been read."""
        events = [event for event in reply.parameters["events"] if event["aspect"] != "lifecycle"]
        where = f"{self.stream} at {reply.at}"
        newest = {event["aspect"]: event for event in events}
        # A stopped bus delivers everything that waits, read or not. Later changes belong to another life.
        since = min(self.ended, self.stream.call.at if before is None else before.since)
        for event in events if before is not None else ():
            yield from self._held(event, reply, where)
        for aspect, event in newest.items():
            # `drop` delivers changes from before the background. Behind held changes, changes without a net change
            # wait.
            policy = self.stream.policy(aspect)
            old = self.stream.background(aspect) == "drop" or (
                self.stream.background(aspect) == "hold" and policy.get("netChangeOnly"))
            if not old or before is None:
                completed = self.writes.completed(self.stream.instance, aspect, since)
                if event["generation"] < completed:
                    yield f"{aspect} {event['generation']} is stale: {completed} was over at {since}: {where}"
        normal = any(self.stream.background(aspect) != "immediate" for aspect in newest)
        if before is not None and normal and len(str(events)) < LONG:
            yield from self._missing(newest, since, where)
        for aspect, event in newest.items():
            self.positions[aspect] = event["generation"]

    def _held(self, event: dict[str, Any], reply: Reply, where: str) -> Iterator[str]:
        """A change that was made and delivered within one background."""
        aspect = event["aspect"]
        if self.stream.background(aspect) == "immediate":
            return
        begin = self.writes.begin(self.stream.instance, aspect, event["generation"])
        span = self.stream.is_held(begin, reply.at) if begin is not None and begin < reply.at else None
        if span is not None:
            yield f"{aspect} {event['generation']}, made at {begin}, came in the background {span}: {where}"

    def _missing(self, newest: dict[str, Any], since: int, where: str) -> Iterator[str]:
        """A wake, or a free reader, gets all that has changed."""
        for aspect in self.names:
            policy = self.stream.policy(aspect)
            if aspect in newest or policy.get("interval") or policy.get("netChangeOnly"):
                continue
            if self.stream.background(aspect) == "drop" and self.stream.was_held:
                continue
            completed = self.writes.completed(self.stream.instance, aspect, since)
            if self._is_unseen(aspect, completed):
                yield f"{aspect} {completed}, over at {since}, is not in the reply: {where}"

    def _is_unseen(self, aspect: str, generation: int) -> bool:
        """Whether a generation is certainly newer than what the subscription has seen."""
        position = self.positions.get(aspect)
        if position is not None:
            return generation > position and self._is_change_after(aspect, generation, position)
        write = self.writes.first(self.stream.instance, aspect, generation)
        begin = self.writes.begin(self.stream.instance, aspect, generation)
        if write is None or begin is None or begin <= self.stream.replies[0].at:
            return False
        # A withdrawal of a name that is not published is not a change.
        return write.value != NULL

    def _is_change_after(self, aspect: str, generation: int, position: int) -> bool:
        instance = self.stream.instance
        return not (self.facts.value.get((instance, aspect, generation)) == NULL
                    and self.facts.value.get((instance, aspect, position)) == NULL)

    def intervals(self) -> Iterator[str]:
        """Events of one aspect are an interval apart. Each was sent after its change was made, and read later."""
        sent: dict[str, int] = {}
        for before, reply in zip(self.stream.replies, self.stream.replies[1:]):
            if reply.error is not None:
                continue
            for event in {event["aspect"]: event for event in reply.parameters["events"]}.values():
                aspect = event["aspect"]
                interval = (self.stream.policy(aspect).get("interval") or 0) * 1_000
                if not interval:
                    continue
                earliest = sent.get(aspect, -FOREVER) + interval
                if reply.at < earliest:
                    yield (f"{aspect} {event['generation']} {earliest - reply.at} microseconds too early for its"
                           f" interval: {self.stream} at {reply.at}")
                begin = self.writes.begin(self.stream.instance, aspect, event["generation"])
                sent[aspect] = max(min(before.since, self.ended), begin or 0, earliest)



