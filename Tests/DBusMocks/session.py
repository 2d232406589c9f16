# SPDX-License-Identifier: Apache-2.0
"""A login manager with one session, a template for python-dbusmock.

As logind does, it has the session under a second path, which no signal comes from.
"""
import dbus
from dbusmock import MOCK_IFACE, get_object

BUS_NAME = "org.freedesktop.login1"
MAIN_OBJ = "/org/freedesktop/login1"
MAIN_IFACE = "org.freedesktop.login1.Manager"
SYSTEM_BUS = True
SESSION = MAIN_OBJ + "/session/"
SESSION_IFACE = "org.freedesktop.login1.Session"


def load(mock, parameters):
    mock.AddTemplate("logind", {})
    mock.AddSession("c1", "seat0", 0, "root", True)
    mock.AddObject(SESSION + "auto", SESSION_IFACE, get_object(SESSION + "c1").props[SESSION_IFACE], [])


@dbus.service.method(MOCK_IFACE, in_signature="b")
def SetLocked(self, value):
    get_object(SESSION + "auto").props[SESSION_IFACE]["LockedHint"] = dbus.Boolean(value)
    get_object(SESSION + "c1").UpdateProperties(SESSION_IFACE, {"LockedHint": dbus.Boolean(value)})
