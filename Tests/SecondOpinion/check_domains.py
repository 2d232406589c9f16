"""Lists of domains: each change of a chosen domain is counted, and no other."""
from typing import Any, Iterator

from calls import FOREVER, Run
from check_values import Facts
from streams import Stream
from writes import Write, Writes

Part = dict[str, tuple[bool, list[str]]]


def violations(run: Run, writes: Writes, facts: Facts, streams: list[Stream]) -> Iterator[str]:
    sequences = {
        (instance, aspect, seen.generation): seen.sequence
        for (instance, aspect), all_seen in facts.seen.items() for seen in all_seen}
    for stream in streams:
        domains = stream.call.parameters.get("domains")
        if domains:
            yield from _stream(writes, stream, domains, sequences)


def _stream(
    writes: Writes, stream: Stream, domains: list[str], sequences: dict[tuple[str, str, int], int],
) -> Iterator[str]:
    posts = sorted(writes.known.get((stream.instance, "defaults"), ()), key=lambda post: post.generation or 0)
    for reply in stream.replies:
        for event in reply.parameters["events"]:
            if event["aspect"] != stream.call.settings:
                continue
            where = f"{stream} at {reply.at}"
            listed = event["defaults"]["domains"]
            if any(not _chosen(domain, domains) for domain in listed):
                yield f"{event['aspect']} has other domains, {listed}: {where}"
            count = event["changes"] + event["dropped"]
            before = sequences.get((stream.instance, event["aspect"], event["generation"] - count))
            expected = _count(writes, posts, domains, before, event["sequence"], reply.at)
            if event["changes"] and expected not in (None, count):
                yield f"{count} changes of {event['aspect']}, but {expected} posts changed it: {where}"


def _count(
    writes: Writes, posts: list[Write], domains: list[str], before: int | None, last: int, at: int,
) -> int | None:
    """The changes of a list between two changes of the settings; None if the record does not prove their number."""
    first = next((index for index, post in enumerate(posts) if post.sequence == before), None)
    if first is None or all(post.sequence != last for post in posts):
        return None
    begin = posts[first].begin
    if any(other.begin < at and (other.end == FOREVER or other.end > begin) for other in writes.unknown["defaults"]):
        return None
    part, generation, changes = _part(posts[first], domains), posts[first].generation or 0, 0
    for post in posts[first + 1:]:
        if (post.sequence or 0) > last:
            break
        # A change that nobody posted is a Refresh, which restores the device's own settings: none of these.
        if (post.generation or 0) > generation + 1 and part:
            part, changes = {}, changes + 1
        if (post.generation or 0) > generation:
            following = _part(post, domains)
            changes += following != part
            part, generation = following, post.generation or 0
    return changes


def _part(post: Write, domains: list[str]) -> Part:
    result = {}
    for domain in post.call.parameters["defaults"]["domains"]:
        if _chosen(domain, domains):
            keys = [key for key in domain["keys"] if _chosen({**domain, "keys": [key]}, domains)]
            result[domain["path"]] = domain["opaque"], sorted(set(keys))
    return result


def _chosen(domain: dict[str, Any], domains: list[str]) -> bool:
    """Whether an entry of the list chooses the domain, with all its keys."""
    for entry in domains:
        name, _, directory = entry.partition(":")
        if name != domain["domain"] and not (name.endswith("*") and domain["domain"].startswith(name[:-1])):
            continue
        if not directory or domain["opaque"] or any(key.startswith(directory) for key in domain["keys"]):
            return True
    return False


__all__ = ["violations"]
