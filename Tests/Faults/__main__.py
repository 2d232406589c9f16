"""A fault in every system call: Scripts/faults, described in Docs/Contributing/Development.md."""
from __future__ import annotations

import argparse
import collections
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile
import time

import runner

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# On two processors: most of a run is waiting.
WORKERS = 4
# Of scenarios that wait for seconds.
WAITING_WORKERS = 16
# The seconds in which the scenarios run once each to count their calls.
COUNTING = 25.0
# The fractional parts of its multiples are spread evenly, whatever their number.
GOLDEN = 0.6180339887498949


class Report:
    """Counts outcomes, and prints findings at once and progress now and then."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.kinds: collections.Counter[str] = collections.Counter()
        self.begin = self.shown = time.monotonic()

    @property
    def findings(self) -> int:
        return sum(count for kind, count in self.kinds.items() if kind not in runner.FINE)

    def take(self, outcome: runner.Outcome) -> None:
        self.kinds[outcome.kind] += 1
        if outcome.kind not in runner.FINE:
            print(f"FOUND {outcome.kind}: {outcome.case} ({outcome.case.subject})\n{outcome.text}\n"
                  f"  again: Scripts/faults --only {outcome.case}", flush=True)
        if time.monotonic() - self.shown > 15:
            self.shown = time.monotonic()
            print(f"{sum(self.kinds.values())} of {self.total} after {self.shown - self.begin:.0f} s", flush=True)

    def __str__(self) -> str:
        return ", ".join(f"{count} {kind}" for kind, count in self.kinds.most_common())


def build_shim(directory: str) -> str:
    """Compiles the shim, and returns its path."""
    path = directory + "/shim.so"
    subprocess.run(["gcc", "-O2", "-Wall", "-shared", "-fPIC", "-o", path, str(HERE / "shim.c")], check=True)
    return path


def parse(text: str) -> runner.Case:
    """Returns the case of `SCENARIO:SYSCALL:N:FAULT`."""
    scenario, syscall, number, fault = text.split(":")
    return runner.Case(scenario, syscall, int(number), fault)


def cost(scenario: str) -> float:
    """Returns how many seconds of the machine a case takes."""
    seconds = float(runner.option(scenario, "COST", 0.5))
    return seconds / (WAITING_WORKERS if runner.option(scenario, "WAITS", False) else WORKERS)


def part(lists: dict[str, list[runner.Case]], seconds: float) -> list[runner.Case]:
    """Returns the same share of each scenario's cases, evenly spread, for about this time."""
    whole = sum(len(cases) * cost(name) for name, cases in lists.items())
    share = min(1.0, max(seconds - COUNTING, seconds / 4) / whole)
    chosen: list[runner.Case] = []
    for cases in lists.values():
        order = sorted(range(len(cases)), key=lambda index: index * GOLDEN % 1)
        chosen += [cases[index] for index in sorted(order[:max(1, round(len(cases) * share))])]
    return chosen


def main() -> int:
    parser = argparse.ArgumentParser(prog="Scripts/faults")
    parser.add_argument("seconds", nargs="?", type=float, help="run an evenly spread part that takes about so long")
    parser.add_argument("--all", action="store_true", help="run each call, even if many are alike")
    parser.add_argument("--only", metavar="SCENARIO[:SYSCALL:N:FAULT]", action="append", default=[],
                        help="run one scenario or one fault")
    parser.add_argument("--keep", action="store_true", help="keep the files of the runs of --only")
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / ".build" / "debug", help="where the programs are")
    options = parser.parse_args()
    names = [text for text in options.only if ":" not in text]
    exact = [parse(text) for text in options.only if ":" in text]
    if not options.only:
        names = runner.scenarios()
    with tempfile.TemporaryDirectory() as directory, \
            concurrent.futures.ProcessPoolExecutor(WORKERS) as pool, \
            concurrent.futures.ProcessPoolExecutor(WAITING_WORKERS) as waiting:
        shim = build_shim(directory)
        counting = {name: pool.submit(runner.count, name, options.programs, shim, options.all) for name in names}
        lists, calls = {}, 0
        for name, future in counting.items():
            number, lists[name] = future.result()
            calls += number
            print(f"{name}: {number} calls, {len(lists[name])} faults", flush=True)
        cases = [case for some in lists.values() for case in some]
        chosen = exact + (part(lists, options.seconds) if options.seconds else cases)
        report = Report(len(chosen))
        runs = [
            (waiting if runner.option(case.scenario, "WAITS", False) else pool).submit(
                runner.run, case, options.programs, shim, options.keep) for case in chosen]
        for run in concurrent.futures.as_completed(runs):
            report.take(run.result())
    print(f"faults: {calls} calls, {len(chosen)} of {len(cases) or len(exact)} faults "
          f"in {time.monotonic() - report.begin:.0f} s: {report}")
    return 1 if report.findings else 0


if __name__ == "__main__":
    sys.exit(main())
