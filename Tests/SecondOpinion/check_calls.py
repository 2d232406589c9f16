"""Calls: each has the answer that the interface allows, and an invalid one is refused and named."""
import re
from typing import Any, Iterator

import interface
from calls import FOREVER, Call, Connection, Run
from check_values import Facts
from interface import mismatches
from streams import Stream
from writes import Writes

VARLINK = "org.varlink.service."
NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+")
DEVICE = {
    "locale", "defaults", "battery", "proximity", "orientation", "light", "display", "network", "folders", "motion",
    "shake", "power", "sleep", "switches",
}
YEAR = 31_536_000_000
STREAMING = {"org.reveille.Bus.Subscribe", "org.reveille.Bus.BeginTask", "org.reveille.Bus.ObserveDemand"}
# Errors that a call can get although its parameters are valid.
REFUSALS = {
    "Subscribe": {"QuotaExceeded", "InvalidDomain"}, "SetState": {"NoSuchSubscription", "CannotSuspend"}, "GetState": {"QuotaExceeded"},
    "Publish": {"QuotaExceeded", "PermissionDenied"}, "Import": {"QuotaExceeded", "PermissionDenied"}, "Post": {"PermissionDenied"},
    "BeginTask": {"NoSuchSubscription", "QuotaExceeded", "PermissionDenied"},
    "Add": {"QuotaExceeded", "PermissionDenied"}, "Cancel": {"NoSuchEntry", "QuotaExceeded"},
    "GetInterfaceDescription": {"InterfaceNotFound"},
    "ObserveDemand": {"QuotaExceeded"},
}
# The quotas that tell a connection that it is one too many.
CONNECTIONS = ("connections", "processConnections", "busConnections")


def remove_malformed(run: Run) -> Iterator[str]:
    """Replies that are not of their interface's types are violations, and nothing more can be said about them."""
    for call in run.calls:
        for reply in list(call.replies):
            found = list(_success(call, reply.parameters)) if reply.error is None else []
            yield from found
            if found:
                call.replies.remove(reply)


def violations(run: Run, writes: Writes, facts: Facts, streams: list[Stream]) -> Iterator[str]:
    for call in run.calls:
        if call.connection.raw < call.at:
            continue
        for reply in call.replies:
            if reply.error is not None:
                yield from _error(call, reply.error, reply.parameters)
        yield from _expected(call)
    for connection in run.connections.values():
        yield from _ending(run, connection)


def _error(call: Call, error: str, parameters: dict[str, Any]) -> Iterator[str]:
    """Errors are declared, and have the parameters that their declarations have."""
    scope, _, name = error.rpartition(".")
    declared = interface.interfaces().get(scope)
    if declared is None or name not in declared.errors:
        yield f"{call} got the undeclared error {error}"
        return
    if any(mismatches(declared, declared.errors[name], parameters)):
        yield f"{call} got {error} with {parameters}"
    own = call.method.rpartition(".")[0]
    if scope not in ("org.varlink.service", "org.reveille.Bus", own):
        yield f"{call} got an error of another interface: {error}"
    general = {"InvalidParameter", "MethodNotFound", "InterfaceNotFound", "MethodNotImplemented", "ExpectedMore"}
    allowed = general | REFUSALS.get(call.method.rpartition(".")[2], set())
    if name not in allowed and not (name == "QuotaExceeded" and parameters.get("quota") in CONNECTIONS):
        yield f"{call} got {error}, which its interface does not give a reason for"
    if own == "org.reveille.Schedule" and name == "QuotaExceeded" and call.method.endswith(".Cancel") \
            and parameters.get("quota") not in ("storage", *CONNECTIONS):
        yield f"{call} exceeded the quota {parameters.get('quota')}"


def _success(call: Call, parameters: dict[str, Any]) -> Iterator[str]:
    """Replies have the types of the interface."""
    scope, _, name = call.method.rpartition(".")
    declared = interface.interfaces().get(scope)
    if declared is None or name not in declared.methods:
        yield f"{call} succeeded, but {call.method} does not exist"
        return
    for path in mismatches(declared, declared.methods[name][1], parameters):
        yield f"the reply to {call} does not match its interface at {path}: {str(parameters)[:200]}"
    if call.flags & {"oneway"}:
        yield f"{call} is oneway, but was answered"


def _expected(call: Call) -> Iterator[str]:
    """An invalid call is refused; a valid one is not."""
    if not call.replies:
        return
    error, parameters = call.replies[-1].error, call.replies[-1].parameters
    kind, named = _verdict(call)
    if error is not None and error.startswith(VARLINK):
        if kind is None:
            yield f"{call} is valid, but got {error} {parameters}: {str(call.parameters)[:200]}"
        elif error != VARLINK + kind:
            yield f"{call} got {error} instead of {kind}"
        elif kind == "InvalidParameter" and parameters["parameter"] not in named:
            yield f"{call} got InvalidParameter for {parameters['parameter']} instead of {sorted(named)}"
    elif kind is not None and error is None:
        yield f"{call} should have got {kind} {sorted(named)}, but succeeded: {str(call.parameters)[:200]}"
    elif error is not None and error.endswith("QuotaExceeded") and call.method.endswith(".Subscribe"):
        if parameters.get("quota") == "aspects" and len(call.parameters.get("aspects") or []) <= 64:
            yield f"{call} got QuotaExceeded for {len(call.parameters['aspects'])} aspects"


def _verdict(call: Call) -> tuple[str | None, set[str]]:
    """The error that a call must get, with the parameters that it may name; None if it is valid."""
    scope, _, name = call.method.rpartition(".")
    declared = interface.interfaces().get(scope)
    if declared is None:
        return "InterfaceNotFound", set()
    if name not in declared.methods:
        return "MethodNotFound", set()
    if "upgrade" in call.flags:
        return "MethodNotImplemented", set()
    if name == "GetInterfaceDescription" and call.parameters.get("interface") not in interface.interfaces():
        return "InterfaceNotFound", set()
    wrong = set(mismatches(declared, declared.methods[name][0], call.parameters))
    # A call that only streams names its parameters or its mode first.
    if call.method in STREAMING and "more" not in call.flags:
        return "ExpectedMore", set()
    if not wrong:
        wrong = set(_wrong(name, call.parameters))
    return ("InvalidParameter", wrong) if wrong else (None, set())


def _wrong(name: str, given: dict[str, Any]) -> Iterator[str]:
    """The parameters whose values are not allowed, of calls whose types are right."""
    aspects = given.get("aspects")
    if name in ("Subscribe", "GetState") and aspects is not None:
        known = {"lifecycle"} if name == "Subscribe" else set()
        if not aspects or not all(_is_aspect(aspect) or aspect in known for aspect in aspects):
            yield "aspects"
    if name == "Subscribe":
        yield from _wrong_subscription(given, aspects)
    if name == "SetState":
        if given["state"] not in ("foreground", "background", "inactive", "suspended"):
            yield "state"
        wake = given.get("wakeAfter")
        if wake is not None and not 1 <= wake <= YEAR:
            yield "wakeAfter"
    if name in ("Publish", "Import") and not _is_name(given["aspect"]):
        yield "aspect"
    if name in ("Publish", "Import") and given.get("value") is not None and _depth(given["value"]) > 27:
        yield "value"
    if name == "Import" and given["generation"] < 0:
        yield "generation"
    if name == "GetHistory":
        if given["aspect"] not in DEVICE and not _is_name(given["aspect"]):
            yield "aspect"
        if given.get("limit") is not None and given["limit"] < 1:
            yield "limit"
    if name == "Post" and len([value for value in given.values() if value is not None]) != 1:
        yield from interface.interfaces()["org.reveille.Bus"].methods["Post"][0]
    if name == "BeginTask" and not 1 <= len(given["name"].encode()) <= 128:
        yield "name"
    if name == "Check" and len(given["capabilities"]) > 1_024:
        yield "capabilities"
    if name == "Add":
        yield from _wrong_entry(given["entry"])


def _wrong_subscription(given: dict[str, Any], aspects: list[str] | None) -> Iterator[str]:
    chosen = set(aspects or ["locale", "defaults", "battery", "proximity", "orientation"])
    if given.get("name") is not None and len(given["name"].encode()) > 128:
        yield "name"
    if given.get("state") not in (None, "foreground", "background"):
        yield "state"
    domains = given.get("domains")
    if domains is not None and (not domains or "defaults" not in chosen):
        yield "domains"
    for position in given.get("resume") or []:
        if position["generation"] < 0:
            yield "resume.generation"
    for policy in given.get("policies") or []:
        aspect, background, limit = policy["aspect"], policy.get("background"), policy.get("limit")
        if background not in (None, "coalesce", "hold", "drop", "immediate", "end"):
            yield "policies.background"
        if background == "end" and aspect != "lifecycle" or background == "immediate" and aspect == "lifecycle":
            yield "policies.background"
        if limit is not None and not 1 <= limit <= 256:
            yield "policies.limit"
        if policy.get("interval") is not None and not 1 <= policy["interval"] <= YEAR:
            yield "policies.interval"
        covered = aspect in chosen or any(
            pattern.endswith(".*") and aspect.startswith(pattern[:-1]) for pattern in chosen)
        if not covered and ("." in aspect or background in ("immediate", "end")):
            yield "policies.aspect"


def _wrong_entry(entry: dict[str, Any]) -> Iterator[str]:
    if not _is_name(entry["aspect"]):
        yield "entry.aspect"
    times = [name for name in ("at", "every", "calendar") if entry.get(name) is not None]
    if not times or {"every", "calendar"} <= set(times):
        yield from ("entry.at", "entry.every", "entry.calendar")
    if entry.get("every") is not None and entry["every"] < 1_000:
        yield "entry.every"
    calendar = entry.get("calendar")
    if calendar is not None and all(value is None for value in calendar.values()):
        yield "entry.calendar"
    if calendar and calendar.get("hour") is not None and not 0 <= calendar["hour"] <= 23:
        yield "entry.calendar.hour"
    if entry.get("zone") == "Nowhere/City":
        yield "entry.zone"


def _is_name(text: str) -> bool:
    return len(text.encode()) <= 255 and NAME.fullmatch(text) is not None


def _is_aspect(text: str) -> bool:
    return text in DEVICE or _is_name(text[:-2] + ".x" if text.endswith(".*") else text)


def _depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max((_depth(member) for member in value.values()), default=0)
    if isinstance(value, list):
        return 1 + max((_depth(member) for member in value), default=0)
    return 0


def _ending(run: Run, connection: Connection) -> Iterator[str]:
    """The bus ends no connection without a reason, and answers every call of a client that reads."""
    life = run.lives[connection.life]
    ended = min(life.term, life.kill)
    judges_ends = run.has_bus_events and not life.is_faulty
    if connection.closed_by == "bus" and judges_ends and connection.raw == FOREVER:
        refused = any(reply.error == "org.reveille.Bus.QuotaExceeded"
                      and reply.parameters.get("quota") in CONNECTIONS
                      for call in connection.calls for reply in call.replies)
        if connection.closed < ended and not refused:
            yield f"the bus closed {connection.client} at {connection.closed} without a reason"
    if judges_ends and life.term < FOREVER and life.kill == FOREVER and life.exited < FOREVER and life.code != 0:
        yield f"the bus {life.bus} ended with {life.code} after SIGTERM"
    if judges_ends and life.exited < ended:
        yield f"the bus {life.bus} ended by itself at {life.exited} with {life.code}"
    # A control connection has a name without a letter at its end. It reads every reply.
    if connection.client[-1].isdigit() and connection.closed == FOREVER and connection.raw == FOREVER:
        alive = run.ends.get(connection.pid, FOREVER) > run.quiet and ended > run.quiet
        for call in connection.calls:
            if call.at < run.quiet < FOREVER and alive and not call.replies and "oneway" not in call.flags:
                yield f"{call} was never answered"
