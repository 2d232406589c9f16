# SPDX-License-Identifier: Apache-2.0
"""Lets programs sleep while sway hides their windows.

    exec python3 sway_shell.py      in the configuration of sway

A program whose windows are all hidden, on another workspace or in the scratchpad, is suspended. It wakes when one of
them is visible again. With reveille-dbus, a lock of the session hides all windows, and a program that plays something
stays awake. It needs reveille.py and reveille in their places: PYTHONPATH, and a bus that runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import IO, Any

import reveille

SESSION = "org.freedesktop.login1.session"
PLAYERS = "org.mpris.player."


def windows(node: dict[str, Any]) -> Iterator[tuple[int, bool]]:
    """Returns the process of each window below a node of sway's tree, and whether the window is visible."""
    if node.get("pid"):
        yield node["pid"], bool(node.get("visible"))
    for child in node["nodes"] + node["floating_nodes"]:
        yield from windows(child)


def process(pid: int) -> tuple[str, int]:
    """Returns the name of a process, and its parent; 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            # The name, in parentheses, may contain spaces and parentheses.
            start, _, end = file.read().rpartition(")")
            return start.partition("(")[2], int(end.split()[1])
    except (OSError, IndexError):
        return "", 0


class Shell:
    """What the bus knows of the windows."""

    def __init__(self, bus: reveille.Bus) -> None:
        self.bus = bus
        # The process of each subscription, by its identifier, and the state that was set.
        self.processes: dict[str, int] = {}
        self.states: dict[str, str] = {}
        self.is_locked = False
        # The names of programs that play something, by the published names of players.
        self.playing: dict[str, str] = {}
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

    def follow_desktop(self) -> None:
        """Follows the session and the players until the bus object is closed."""
        for event in self.bus.subscribe(SESSION, PLAYERS + "*", initial=True, name="sway shell"):
            value = event.state or {}
            with self.lock:
                if event.aspect == SESSION:
                    self.is_locked = value.get("locked") is True
                elif value.get("status") == "Playing":
                    # The kernel keeps 15 bytes of a name. The player may add words of its own.
                    self.playing[event.aspect] = event.aspect.removeprefix(PLAYERS).partition(".")[0][:15]
                else:
                    self.playing.pop(event.aspect, None)
                self.update()

    def update(self) -> None:
        """Sets the state of each program that has a window."""
        tree = json.loads(subprocess.check_output(["swaymsg", "--raw", "--type", "get_tree"]))
        visible: dict[int, bool] = {}
        for pid, is_visible in windows(tree):
            visible[pid] = visible.get(pid, False) or is_visible
        states = {}
        for identifier, pid in self.processes.items():
            name, parent = process(pid)
            is_playing = name in self.playing.values()
            # A program in a terminal has the window of the terminal.
            while pid > 1 and pid not in visible:
                pid = parent
                name, parent = process(pid)
                is_playing = is_playing or name in self.playing.values()
            if pid in visible:
                is_awake = is_playing or visible[pid] and not self.is_locked
                states[identifier] = "foreground" if is_awake else "suspended"
        for identifier, state in states.items():
            if self.states.get(identifier) != state:
                self.set_state(identifier, state)
        self.states = states

    def set_state(self, identifier: str, state: str) -> None:
        """Suspends or wakes a program."""
        if state == "suspended":
            # The call waits for the tasks of the program.
            threading.Thread(target=self.suspend, args=(identifier,), daemon=True).start()
        else:
            self.call(self.bus.wake, identifier)

    def suspend(self, identifier: str) -> None:
        """Suspends a program, and waits until it is frozen."""
        self.call(self.bus.suspend, identifier)
        with self.lock:
            # A wake may have reached the bus first.
            if self.states.get(identifier) == "foreground":
                self.call(self.bus.wake, identifier)

    def call(self, method: Callable[[str], None], identifier: str) -> None:
        """Makes a call. The program may have ended or been woken meanwhile, or has another subscription."""
        try:
            method(identifier)
        except reveille.ReveilleError as error:
            if error.code not in ("cannot_suspend", "no_such_subscription"):
                print(f"sway_shell: {error}", file=sys.stderr, flush=True)


def main() -> None:
    """Follows sway and the bus until sway ends."""
    command = ["swaymsg", "--raw", "--monitor", "--type", "subscribe", '["window", "workspace"]']
    with reveille.connect() as bus, subprocess.Popen(command, stdout=subprocess.PIPE) as sway:
        assert sway.stdout
        shell = Shell(bus)
        threading.Thread(target=shell.follow_windows, args=(sway.stdout,), daemon=True).start()
        threading.Thread(target=shell.follow_desktop, daemon=True).start()
        shell.follow_subscriptions()


if __name__ == "__main__":
    main()
