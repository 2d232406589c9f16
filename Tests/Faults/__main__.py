"""A fault in every system call: see Docs/Testing.md of the contributors, Docs/Development.md."""
from __future__ import annotations

import argparse
import collections
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile
import time

import program
import runner

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# On two processors: most of a run is waiting.
WORKERS = 4
# Of scenarios that wait for seconds.
WAITING_WORKERS = 16


def build_shim(directory: str) -> str:
    """Compiles the shim, and returns its path."""
    path = directory + "/shim.so"
    subprocess.run(["gcc", "-O2", "-Wall", "-shared", "-fPIC", "-o", path, str(HERE / "shim.c")], check=True)
    return path


def parse(text: str) -> runner.Case:
    """Returns the case of `SCENARIO:SYSCALL:N:FAULT`."""
    scenario, syscall, number, fault = text.split(":")
    return runner.Case(scenario, syscall, int(number), fault)


def interleave(lists: list[list[runner.Case]], share: float) -> list[runner.Case]:
    """Returns an evenly spread part of each scenario's cases."""
    return [case for cases in lists for case in cases[::max(1, round(1 / share))]]


def main() -> int:
    parser = argparse.ArgumentParser(prog="Scripts/faults")
    parser.add_argument("seconds", nargs="?", type=float, help="run an evenly spread part that takes about so long")
    parser.add_argument("--all", action="store_true", help="run each call, also of many that are alike")
    parser.add_argument("--only", metavar="SCENARIO[:SYSCALL:N:FAULT]", action="append", default=[],
                        help="run one case or one scenario")
    parser.add_argument("--workers", type=int, default=WORKERS)
    parser.add_argument("--keep", action="store_true", help="keep the files of the runs of --only")
    parser.add_argument("--program-directory", type=pathlib.Path, default=ROOT / ".build" / "debug")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        shim = build_shim(directory)
        exact = [parse(text) for text in options.only if ":" in text]
        names = [text for text in options.only if ":" not in text] or ([] if exact else runner.scenarios())
        return run(options, shim, exact, names)


def run(options: argparse.Namespace, shim: str, exact: list[runner.Case], names: list[str]) -> int:
    begin = time.monotonic()
    with concurrent.futures.ProcessPoolExecutor(options.workers) as pool:
        counted = list(pool.map(runner.count, names, *zip(*[(options.program_directory, shim, options.all)] * len(names))))
        lists = [cases for _, cases in counted]
        for name, (calls, cases) in zip(names, counted):
            print(f"{name}: {calls} calls, {len(cases)} cases", flush=True)
        cases = exact + [case for cases in lists for case in cases]
        return report(options, shim, cases, pool, begin, sum(calls for calls, _ in counted))


def report(options: argparse.Namespace, shim: str, cases: list[runner.Case],
           pool: concurrent.futures.ProcessPoolExecutor, begin: float, calls: int) -> int:
    kinds: collections.Counter[str] = collections.Counter()
    shown = begin
    keep = options.keep and bool(options.only)
    chosen = cases
    if options.seconds:
        share = max(1, round(len(cases) * 0.2 / WORKERS / options.seconds))
        chosen = cases[::share]
    patient = concurrent.futures.ProcessPoolExecutor(WAITING_WORKERS)
    waiting = [(patient if runner.option(case.scenario, "WAITS", False) else pool).submit(
        runner.run, case, options.program_directory, shim, keep) for case in chosen]
    for number, future in enumerate(concurrent.futures.as_completed(waiting), 1):
        outcome = future.result()
        kinds[outcome.kind] += 1
        if outcome.kind not in ("passed", "unreached"):
            print(f"FOUND {outcome.kind}: {outcome.case} ({outcome.case.subject})\n{outcome.text}\n"
                  f"  again: Scripts/faults --only {outcome.case}", flush=True)
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            print(f"{number} of {len(chosen)} after {shown - begin:.0f} s", flush=True)
    words = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    print(f"faults: {calls} calls, {len(chosen)} of {len(cases)} faults in {time.monotonic() - begin:.0f} s: {words}")
    return 1 if set(kinds) - {"passed", "unreached"} else 0


if __name__ == "__main__":
    sys.exit(main())
