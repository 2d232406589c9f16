"""A media player on D-Bus, by GDBus. It takes its name before its object answers, as many services do.

Lines on stdin: `own` and `leave`, and any other word, which becomes its status and is announced.
"""
from __future__ import annotations

import os
import sys

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

NAME, PATH, INTERFACE = "org.mpris.MediaPlayer2.test", "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Player"
XML = f'<node><interface name="{INTERFACE}"><property name="PlaybackStatus" type="s" access="read"/>' \
      '<property name="Shuffle" type="b" access="read"/></interface></node>'
# Milliseconds between the name and the object.
DELAY = 50


class Player:
    """Its state, and its place on the message bus."""

    def __init__(self, address: str) -> None:
        self.status = "Playing"
        self.owner = self.object = 0
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.connection = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
        channel = GLib.IOChannel.unix_new(sys.stdin.fileno())
        GLib.io_add_watch(channel, GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, self.take)
        self.loop = GLib.MainLoop()

    def take(self, *_: object) -> bool:
        text = os.read(sys.stdin.fileno(), 4096)
        if not text:
            self.loop.quit()
        for word in text.decode().split():
            self.obey(word)
        return True

    def obey(self, word: str) -> None:
        if word == "own":
            self.owner = Gio.bus_own_name_on_connection(
                self.connection, NAME, Gio.BusNameOwnerFlags.NONE, lambda *_: GLib.timeout_add(DELAY, self.export), None)
        elif word == "leave":
            Gio.bus_unown_name(self.owner)
            self.connection.unregister_object(self.object)
            self.object = 0
        else:
            self.status = word
            if self.object:
                changed = GLib.Variant("(sa{sv}as)", (INTERFACE, {"PlaybackStatus": GLib.Variant("s", word)}, []))
                self.connection.emit_signal(None, PATH, "org.freedesktop.DBus.Properties", "PropertiesChanged", changed)

    def export(self) -> bool:
        interface = Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0]
        self.object = self.connection.register_object(PATH, interface, None, self.get, None)
        return False

    def get(self, _connection: object, _sender: str, _path: str, _interface: str, name: str) -> GLib.Variant:
        return GLib.Variant("s", self.status) if name == "PlaybackStatus" else GLib.Variant("b", True)


if __name__ == "__main__":
    Player(sys.argv[1]).loop.run()
