"""A process under test: how it is started with a fault, and how it ended."""
from __future__ import annotations

import dataclasses
import os
import pathlib
import signal
import subprocess
import typing

import table

# Log lines that give no reason.
ROUTINE = (": info: ", ": debug: ", "faults: injected", "the program begins")
# Seconds until a program has ended after SIGKILL, which takes some milliseconds.
ENDING = 10
ERRNO = {"EINTR": 4, "EIO": 5, "ENOSPC": 28}


@dataclasses.dataclass(frozen=True)
class Injection:
    """How the program is started. `mode` is `none`, `count`, `shim`, which counts what can be short, or `inject`."""
    mode: str
    syscall: str = ""
    number: int = 0
    fault: str = ""
    shim: str = ""
    # Of scenarios whose program starts others.
    detaches: bool = False
    # Of scenarios whose program makes each attempt in a thread of its own: strace would fail every attempt.
    once: bool = False
    # System calls whose faults the program's runtime does not survive, besides calls for memory.
    fatal: tuple[str, ...] = ()

    @property
    def is_fatal(self) -> bool:
        """Whether no program survives the fault."""
        return self.syscall in table.FATAL or self.syscall in self.fatal

    @property
    def uses_shim(self) -> bool:
        return self.fault == table.SHORT or self.syscall == "close"

    def wrap(self, arguments: list[str], directory: pathlib.Path) -> list[str]:
        """Returns the arguments of strace, and then the program's; strace is not the program's parent."""
        if self.mode in ("none", "shim") or self.mode == "inject" and self.uses_shim:
            return arguments
        options = ["-D", "-qq", "-f", "-o", str(directory / "strace")]
        options += ["--detach-on=execve"] if self.detaches or self.once else ["--seccomp-bpf"]
        # strace blocks signals if it writes to a file.
        options += ["--interruptible=waiting"] if self.once else []
        if self.mode == "count":
            return ["strace", *options, "-y", "-s", "200", "--", *arguments]
        # The kernel leaves the end of the heap as it is and returns it; libc would take an error for a high end.
        effect = "retval=0" if self.syscall == "brk" else f"error={self.fault}"
        rule = f"inject={self.syscall}:{effect}:when={self.number}"
        return ["strace", *options, "-y", "-e", "trace=" + self.syscall, "-e", rule, "--", *arguments]

    def environment(self, environment: dict[str, str], directory: pathlib.Path) -> dict[str, str]:
        """Returns the environment, with the shim if it makes the fault."""
        if self.mode == "shim":
            return environment | {"LD_PRELOAD": self.shim, "FAULTS_COUNT": str(directory / "short")}
        if self.mode == "inject" and self.uses_shim:
            rule = f"{self.syscall}:{self.number}" + (f":{ERRNO[self.fault]}" if self.fault in ERRNO else "")
            return environment | {"LD_PRELOAD": self.shim, "FAULTS_SHORTEN": rule}
        return environment

    def was_injected(self, directory: pathlib.Path) -> bool:
        """Returns whether the call was reached."""
        if self.uses_shim:
            return any("faults: injected" in log.read_text(errors="replace") for log in directory.glob("*.log"))
        return bool(self.injected(directory))

    def injected(self, directory: pathlib.Path) -> list[str]:
        """Returns the lines of strace for the calls with the fault: one for each thread that reached the call."""
        log = directory / "strace"
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        return [line for line in lines if line.endswith("(INJECTED)")]

    def end(self, pid: int, directory: pathlib.Path) -> None:
        """Ends strace when it has injected the fault into a process. With --seccomp-bpf, all its calls would fail."""
        if not self.injected(directory):
            return
        end_tracer(pathlib.Path(f"/proc/{pid}/status"))


NONE = Injection("none")


def end_tracer(status: pathlib.Path, number: int = signal.SIGTERM) -> None:
    """Ends strace, if it traces the thread of a status file in /proc."""
    try:
        tracer = int(status.read_text().partition("TracerPid:")[2].split()[0])
        if tracer:
            os.kill(tracer, number)
    except (OSError, IndexError):
        # The process or strace has ended.
        pass


class Program:
    """A process, whose output is appended to a file."""

    def __init__(self, arguments: list[str], environment: dict[str, str], log: pathlib.Path,
                 **options: typing.Any) -> None:
        self.log = log
        self.offset = log.stat().st_size if log.exists() else 0
        with open(log, "ab") as output:
            options = {"stdin": subprocess.DEVNULL, "stdout": output, **options}
            self.process = subprocess.Popen(arguments, env=environment, stderr=output, **options)
        # Whether somebody asked for its end.
        self.is_asked = False

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def signal(self, number: int) -> None:
        if self.is_running:
            self.process.send_signal(number)

    def terminate(self) -> None:
        self.is_asked = True
        self.signal(signal.SIGTERM)

    def kill(self) -> None:
        self.is_asked = True
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGKILL)
        try:
            self.process.wait(ENDING)
        except subprocess.TimeoutExpired:
            # strace may keep the threads of a program that a signal has ended.
            for thread in pathlib.Path(f"/proc/{self.pid}/task").glob("*/status"):
                end_tracer(thread, signal.SIGKILL)
            self.process.wait()

    @property
    def has_failed(self) -> bool:
        """Whether it ended by itself with an exit code other than 0."""
        return self.process.poll() is not None and self.process.returncode > 0

    @property
    def words(self) -> str:
        """What it wrote in this life."""
        with open(self.log, "rb") as file:
            file.seek(self.offset)
            return file.read().decode(errors="replace")

    @property
    def reasons(self) -> list[str]:
        """The lines that may give a reason."""
        return [line for line in self.words.splitlines() if line.strip() and not any(word in line for word in ROUTINE)]

    def flaw(self) -> tuple[str, str] | None:
        """Returns what is wrong with its end, if anything is: it ends with a reason, or because it was asked."""
        code = self.process.returncode
        if code is None:
            return None
        if code < 0 and not (self.is_asked and -code in (signal.SIGKILL, signal.SIGTERM)):
            return "signal", f"it ended by {signal.Signals(-code).name}: {self.words[-600:]}"
        if code > 0 and not self.reasons:
            return "no reason", f"it ended with {code}, without a word"
        if code == 0 and not self.is_asked:
            return "silent end", f"it ended with 0, unasked: {self.words[-300:]}"
        return None


def environment(**variables: str) -> dict[str, str]:
    """Returns the variables for a program: a path, and these."""
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no", **variables}
