# SPDX-License-Identifier: Apache-2.0
"""Lets programs sleep while sway hides their windows.

    exec python3 sway_shell.py      in the configuration of sway

A program whose windows are all hidden, on another workspace or in the scratchpad, is suspended. It wakes when one of
them is visible again. It needs reveille.py and reveille in their places: PYTHONPATH, and a bus that runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import IO, Any

import reveille


def windows(node: dict[str, Any]) -> Iterator[tuple[int, bool]]:
    """Returns the process of each window below a node of sway's tree, and whether the window is visible."""
    if node.get("pid"):
        yield node["pid"], bool(node.get("visible"))
    for child in node["nodes"] + node["floating_nodes"]:
        yield from windows(child)


def parent(pid: int) -> int:
    """Returns the parent of a process; 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            # The name, in parentheses, may contain spaces and parentheses.
            return int(file.read().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return 0


class Shell:
    """What the bus knows of the windows."""

    def __init__(self, bus: reveille.Bus) -> None:
        self.bus = bus
        # The process of each subscription, by its identifier, and the state that was set.
        self.processes: dict[str, int] = {}
        self.states: dict[str, str] = {}
        self.lock = threading.Lock()

    def follow_windows(self, events: IO[bytes]) -> None:
        """Follows sway until it ends."""
        try:
            while os.read(events.fileno(), 65_536):
                with self.lock:
                    self.update()
        finally:
            self.bus.close()

    def follow_subscriptions(self) -> None:
        """Follows the subscriptions until the bus object is closed."""
        for changes in self.bus.subscription_changes():
            processes = {entry["subscription"]: entry["pid"] for entry in changes.subscriptions}
            with self.lock:
                has_begun = not processes.keys() <= self.processes.keys()
                self.processes |= processes
                for identifier in changes.ended:
                    self.processes.pop(identifier, None)
                # Others were changed by this shell, for example.
                if has_begun:
                    self.update()

    def update(self) -> None:
        """Sets the state of each program that has a window."""
        tree = json.loads(subprocess.check_output(["swaymsg", "--raw", "--type", "get_tree"]))
        visible: dict[int, bool] = {}
        for pid, is_visible in windows(tree):
            visible[pid] = visible.get(pid, False) or is_visible
        states = {}
        for identifier, pid in self.processes.items():
            # A program in a terminal has the window of the terminal.
            while pid > 1 and pid not in visible:
                pid = parent(pid)
            if pid in visible:
                states[identifier] = "foreground" if visible[pid] else "suspended"
        for identifier, state in states.items():
            if self.states.get(identifier) != state:
                self.set_state(identifier, state)
        self.states = states

    def set_state(self, identifier: str, state: str) -> None:
        """Suspends or wakes a program."""
        try:
            if state == "suspended":
                self.bus.suspend(identifier)
            else:
                self.bus.wake(identifier)
        except reveille.ReveilleError as error:
            # It may have ended meanwhile.
            print(f"sway_shell: {error}", file=sys.stderr, flush=True)


def main() -> None:
    """Follows sway and the bus until sway ends."""
    command = ["swaymsg", "--raw", "--monitor", "--type", "subscribe", '["window", "workspace"]']
    with reveille.connect() as bus, subprocess.Popen(command, stdout=subprocess.PIPE) as sway:
        assert sway.stdout
        shell = Shell(bus)
        threading.Thread(target=shell.follow_windows, args=(sway.stdout,), daemon=True).start()
        shell.follow_subscriptions()


if __name__ == "__main__":
    main()
