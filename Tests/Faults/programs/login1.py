"""A login manager on the message bus of `DBUS_SYSTEM_BUS_ADDRESS`, which takes commands from stdin.

`delay SECONDS` lets it answer late, and `announce 0|1` ends or begins a sleep. It prints the number of open locks when it
is there, and whenever it changes.
"""
from __future__ import annotations

import os
import sys
import typing

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME, PATH, MANAGER = "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager"
Answer = typing.Callable[..., None]


class Login(dbus.service.Object):
    """The manager's object."""

    def __init__(self, connection: dbus.SystemBus) -> None:
        super().__init__(connection, PATH)
        self.delay = 0.0
        self.is_preparing = False
        self.locks: set[int] = set()
        GLib.io_add_watch(sys.stdin.fileno(), GLib.IO_IN, self.command)
        self.report()

    def report(self) -> None:
        print(len(self.locks), flush=True)

    def command(self, _descriptor: int, _condition: int) -> bool:
        for line in os.read(sys.stdin.fileno(), 4096).decode().splitlines():
            word, value = line.split()
            if word == "delay":
                self.delay = float(value)
            else:
                self.is_preparing = value == "1"
                self.PrepareForSleep(self.is_preparing)
        return True

    def later(self, answer: typing.Callable[[], None]) -> None:
        def once() -> bool:
            answer()
            return False
        GLib.timeout_add(int(self.delay * 1000), once)

    @dbus.service.signal(MANAGER, signature="b")
    def PrepareForSleep(self, is_preparing: bool) -> None:
        """Announces the beginning or the end of a sleep."""

    @dbus.service.method(
        dbus.PROPERTIES_IFACE, in_signature="ss", out_signature="v", async_callbacks=("answer", "fail"))
    def Get(self, _interface: str, name: str, answer: Answer, fail: Answer) -> None:
        """Answers what the bus asks for."""
        self.later(lambda: answer(dbus.UInt64(5_000_000) if name == "InhibitDelayMaxUSec" else self.is_preparing))

    @dbus.service.method(
        MANAGER, in_signature="ssss", out_signature="h", async_callbacks=("answer", "fail"))
    def Inhibit(self, _what: str, _who: str, _why: str, _mode: str, answer: Answer, fail: Answer) -> None:
        """Gives a lock, unless the machine prepares."""
        self.later(lambda: self.refuse(fail) if self.is_preparing else self.grant(answer))

    @staticmethod
    def refuse(fail: Answer) -> None:
        fail(dbus.DBusException("the operation is already running", name="org.freedesktop.login1.OperationInProgress"))

    def grant(self, answer: Answer) -> None:
        ours, theirs = os.pipe()
        answer(dbus.types.UnixFd(theirs))
        os.close(theirs)
        self.locks.add(ours)
        GLib.io_add_watch(ours, GLib.IO_HUP, self.closed)
        self.report()

    def closed(self, lock: int, _condition: int) -> bool:
        os.close(lock)
        self.locks.remove(lock)
        self.report()
        return False


def main() -> None:
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    connection = dbus.SystemBus()
    # A former owner may not be gone yet.
    name = dbus.service.BusName(NAME, connection)
    login = Login(connection)
    GLib.MainLoop().run()
    del login, name


if __name__ == "__main__":
    main()
