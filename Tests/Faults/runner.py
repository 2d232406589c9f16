"""Runs scenarios: once to count their calls, then once for each fault."""
from __future__ import annotations

import dataclasses
import importlib
import pathlib
import traceback
import typing

import calls
import program
import publisher
import table
import world

HERE = pathlib.Path(__file__).resolve().parent
# Calls that come from one place again and again are alike. Of more than these, a part is taken.
ENOUGH = 8
# The outcomes without a finding. Unreached: the run took another path. Unfit: it was another call than in the run that was
# counted, as threads take turns, and the kernel cannot return the fault for it.
FINE = ("passed", "unreached", "unfit")


@dataclasses.dataclass(frozen=True)
class Case:
    """One fault in one call of one scenario."""
    scenario: str
    syscall: str
    number: int
    fault: str
    subject: str = ""

    def __str__(self) -> str:
        return f"{self.scenario}:{self.syscall}:{self.number}:{self.fault}"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a case ended: `passed` or another of FINE, or the kind of a finding with its description."""
    case: Case
    kind: str
    text: str = ""


def scenarios() -> list[str]:
    """Returns the scenarios that can run here."""
    names = sorted(path.stem for path in (HERE / "scenarios").glob("*.py"))
    reasons = {name: reason for name in names if (reason := option(name, "missing", str)())}
    for name, reason in reasons.items():
        print(f"{name}: left out, since {reason}")
    return [name for name in names if name not in reasons]


def option(scenario: str, name: str, otherwise: typing.Any) -> typing.Any:
    """Returns what a scenario says about itself."""
    return getattr(importlib.import_module("scenarios." + scenario), name, otherwise)


def attempt(scenario: str, injection: program.Injection, build: pathlib.Path) -> tuple[str, str, world.World]:
    """Runs a scenario and returns what was broken, if anything was; its world remains open."""
    injection = dataclasses.replace(injection, detaches=option(scenario, "DETACHES", False),
                                    once=option(scenario, "ONCE", False), fatal=option(scenario, "FATAL", ()))
    place = world.World(injection, build, option(scenario, "SECONDS", world.SECONDS))
    try:
        option(scenario, "run", None)(place)
        if violations := place.record.violations():
            return "second opinion", violations, place
        return "passed", "", place
    except world.Broken as broken:
        return broken.kind, str(broken), place
    except publisher.Refused as refusal:
        return "refused", str(refusal), place
    except Exception:
        return "harness", traceback.format_exc(), place


def count(scenario: str, build: pathlib.Path, shim: str, is_complete: bool) -> tuple[int, list[Case]]:
    """Returns the number of calls of a scenario, and the cases to run."""
    if own := option(scenario, "cases", None):
        kind, text, place = attempt(scenario, program.NONE, build)
        require_passed(scenario, kind, text, place)
        listed = own(place)
        place.close()
        return len(listed), listed
    found: list[calls.Call] = []
    mark = "" if option(scenario, "COUNTS_START", False) else option(scenario, "MARK", "info: serving")
    for mode in ("count", "shim"):
        kind, text, place = attempt(scenario, program.Injection(mode, shim=shim), build)
        place.close(keep=True)
        require_passed(scenario, kind, text, place)
        if mode == "count":
            found += [call for call in calls.read(place.directory / "strace", mark) if call.syscall != "close"]
        else:
            for line in (place.directory / "short").read_text().splitlines():
                name, number, subject = line.split(" ", 2)
                if mark and name == "write" and subject.endswith(".log"):
                    # What says that it serves comes first.
                    found = [call for call in found if call.kind != "short"]
                    mark = ""
                    continue
                found.append(calls.Call(name, int(number), "short", subject))
        place.close()
    total = sum(call.kind != "short" or call.syscall == "close" for call in found)
    return total, [case for call in (found if is_complete else spread(found)) for case in cases(scenario, call)]


def require_passed(scenario: str, kind: str, text: str, place: world.World) -> None:
    if kind != "passed":
        raise SystemExit(f"faults: {scenario} fails without a fault: {kind}: {text}\nIts files are in {place.directory}.")


def cases(scenario: str, call: calls.Call) -> list[Case]:
    """Returns the cases of a call."""
    if call.kind == "short":
        kind = "file" if call.subject.startswith("/") and not call.subject.startswith(("/proc/", "/sys/")) else "*"
        faults = table.faults("close", kind) if call.syscall == "close" else (table.SHORT,)
    else:
        impossible = option(scenario, "IMPOSSIBLE", set())
        faults = tuple(fault for fault in table.faults(call.syscall, call.kind)
                       if fault != table.SHORT and (call.syscall, fault) not in impossible)
    return [Case(scenario, call.syscall, call.number, fault, call.subject) for fault in faults]


def spread(found: list[calls.Call]) -> list[calls.Call]:
    """Returns the calls, of more than a few that are alike the first, the last and some between, evenly spread."""
    groups: dict[tuple[str, str, str], list[calls.Call]] = {}
    for call in found:
        groups.setdefault(calls.alike(call), []).append(call)
    taken = set()
    for group in groups.values():
        step = max(1.0, (len(group) - 1) / (ENOUGH - 1))
        taken |= {group[round(index * step)] for index in range(min(ENOUGH, len(group)))}
    return [call for call in found if call in taken]


def run(case: Case, build: pathlib.Path, shim: str, keep: bool = False) -> Outcome:
    """Runs one case."""
    injection = program.Injection("inject", case.syscall, case.number, case.fault, shim)
    kind, text, place = attempt(case.scenario, injection, build)
    was_injected = place.reached or injection.was_injected(place.directory)
    if kind == "passed" and not was_injected:
        kind = "unreached"
    if not all(calls.is_fit(line, case.fault) for line in injection.injected(place.directory)):
        kind = "unfit"
    if kind not in FINE:
        for log in place.directory.glob("*.log"):
            words = [line for line in log.read_text(errors="replace").splitlines() if program.ROUTINE[0] not in line]
            text += "".join(f"\n  {log.name}: {line}" for line in words[-4:] if log.name != "patient.log")
        if not was_injected:
            text += "\n(the fault was not injected)"
    place.close(keep)
    return Outcome(case, kind, text)
