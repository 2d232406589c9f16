"""A client of net.hadess.SensorProxy: makes the calls that it reads from stdin, and prints replies and signals as JSON.

A call is one line: {"id", "path", "interface", "member", "signature", "arguments"}; the last argument of Set is a number.
Only signals that are addressed to this connection arrive, because no rule matches others.
"""
import json
import os
import sys

import gi
gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib

NAME = "net.hadess.SensorProxy"
FLAGS = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION


def report(message):
    print(json.dumps(message), flush=True)


def connect():
    return Gio.DBusConnection.new_for_address_sync(os.environ["DBUS_SYSTEM_BUS_ADDRESS"], FLAGS, None, None)


def signaled(connection, sender, path, interface, signal, parameters):
    name, changed, invalidated = parameters.unpack()
    report({"path": path, "interface": name, "signal": changed, "invalidated": invalidated})


def call(request):
    def answered(connection, result):
        try:
            value = connection.call_finish(result).unpack()
            report({"id": request["id"], "value": value[0] if value else None})
        except GLib.Error as error:
            name = Gio.DBusError.get_remote_error(error) or "local"
            report({"id": request["id"], "error": name, "message": error.message})

    arguments = request["arguments"]
    if request["signature"].endswith("v"):
        arguments = arguments[:-1] + [GLib.Variant("d", arguments[-1])]
    values = GLib.Variant("(" + request["signature"] + ")", tuple(arguments))
    bus.call(
        NAME, request["path"], request["interface"], request["member"], values, None, Gio.DBusCallFlags.NONE, -1, None,
        answered)


def read(source, condition):
    line = sys.stdin.readline()
    if not line:
        loop.quit()
        return False
    call(json.loads(line))
    return True


bus = connect()
bus.signal_subscribe(
    None, "org.freedesktop.DBus.Properties", "PropertiesChanged", None, None, Gio.DBusSignalFlags.NO_MATCH_RULE, signaled)
loop = GLib.MainLoop()
# One line at a time is written, each after the reply to the last.
GLib.io_add_watch(sys.stdin, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, read)
report({"ready": bus.get_unique_name()})
loop.run()
