"""The system calls of a run, from the output of `strace -f -y`."""
import collections
import dataclasses
import pathlib
import re

import table

# A line begins a call, unless it ends one that another thread interrupted.
LINE = re.compile(r"^(?P<thread>\d+) +(?P<name>\w+)\((?P<rest>.*)$")
DESCRIPTOR = re.compile(r"^(?:AT_FDCWD(?:<[^>]*>)?|-?\d+(?:<(?P<object>.*?)>)?)(?:,|\)| <unfinished)")
PATH = re.compile(r'"((?:[^"\\]|\\.)*)"')
# Digits, which differ from run to run.
NUMBERS = re.compile(r"\d+")


@dataclasses.dataclass(frozen=True)
class Call:
    """The `number`th call of a system call within its thread, from 1."""
    syscall: str
    number: int
    kind: str
    # What the call concerns, for people and to recognize calls that are alike.
    subject: str


def kind(name: str, rest: str) -> tuple[str, str]:
    """Returns the kind of object that a call concerns, and its name."""
    if name in ("mmap", "munmap", "mremap", "mprotect", "brk"):
        return ("anonymous" if "MAP_ANONYMOUS" in rest else "memory"), ""
    if name == "epoll_ctl":
        return ("add" if "EPOLL_CTL_ADD" in rest else "other"), rest.split("<", 2)[-1].split(">")[0]
    if name == "fcntl":
        return ("dup" if "F_DUPFD" in rest else "lock" if "LK" in rest else "other"), ""
    if name in ("wait4", "waitid"):
        return ("immediate" if "WNOHANG" in rest else "waiting"), ""
    if name == "getsockopt":
        return ("pidfd" if "PIDFD" in rest or ", 0x4d" in rest else "other"), ""
    descriptor, path = DESCRIPTOR.match(rest), PATH.search(rest)
    subject = descriptor and descriptor["object"] or ""
    if name in ("openat", "newfstatat", "statx", "mkdir", "unlink", "unlinkat", "rename", "access", "readlink", "readlinkat",
                "inotify_add_watch", "execve", "stat", "lstat", "chmod", "fchmodat", "faccessat2", "renameat2") and path:
        directory = subject if descriptor and "AT_FDCWD" not in descriptor[0] and name != "inotify_add_watch" else ""
        subject = path[1] if path[1].startswith("/") or not directory else directory + "/" + path[1]
        if "O_CREAT" in rest:
            return "created", subject
    for prefix, result in (("socket:", "socket"), ("UNIX", "socket"), ("NETLINK", "socket"), ("TCP", "socket"),
                           ("pipe:", "pipe"), ("anon_inode:", "anon"), ("/proc/", "kernel"), ("/sys/", "kernel")):
        if subject.startswith(prefix):
            return result, subject.split("[")[0] if result == "socket" else subject
    return "file", subject


def read(log: pathlib.Path, mark: str) -> list[Call]:
    """Returns the calls of a run, from the program's own first one, after the calls of the dynamic loader.

    With a mark, only the calls after the first one that has it in a string.
    """
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    calls: list[Call] = []
    cache = None
    seen: set[tuple[str, int]] = set()
    for line in log.read_text(errors="replace").splitlines():
        match = LINE.match(line)
        if not match:
            continue
        thread, name, rest = match["thread"], match["name"], match["rest"]
        counts[thread][name] += 1
        if name == "mmap" and "/etc/ld.so.cache" in rest:
            cache = rest.rpartition("= ")[2]
        if name == "munmap" and cache and rest.startswith(cache):
            # The loader releases its cache last.
            calls.clear()
            seen.clear()
            cache = None
            continue
        if mark and mark in line:
            calls.clear()
            seen.clear()
            mark = ""
            continue
        number = counts[thread][name]
        # strace counts for each thread, and injects into each thread that comes so far.
        if (name, number) in seen:
            continue
        seen.add((name, number))
        calls.append(Call(name, number, *kind(name, rest)))
    return calls


def is_fit(line: str, fault: str) -> bool:
    """Returns whether the kernel can return a fault for the call in a line; false if the line has only its end."""
    match = LINE.match(line)
    return match is not None and fault in table.faults(match["name"], kind(match["name"], match["rest"])[0])


def alike(call: Call) -> tuple[str, str, str]:
    """Returns what two calls from the same place have in common."""
    return call.syscall, call.kind, NUMBERS.sub("0", call.subject)
