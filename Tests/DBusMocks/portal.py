# SPDX-License-Identifier: Apache-2.0
"""The settings of xdg-desktop-portal, a template for python-dbusmock."""
import dbus
from dbusmock import MOCK_IFACE

BUS_NAME = "org.freedesktop.portal.Desktop"
MAIN_OBJ = "/org/freedesktop/portal/desktop"
MAIN_IFACE = "org.freedesktop.portal.Settings"
SYSTEM_BUS = False
NAMESPACE = "org.freedesktop.appearance"


def load(mock, parameters):
    mock.settings = {"color-scheme": dbus.UInt32(0, variant_level=1), "contrast": dbus.UInt32(0, variant_level=1)}
    mock.AddMethod(MAIN_IFACE, "ReadAll", "as", "a{sa{sv}}", f"ret = {{'{NAMESPACE}': self.settings}}")


@dbus.service.method(MOCK_IFACE, in_signature="u")
def SetColorScheme(self, value):
    self.settings["color-scheme"] = dbus.UInt32(value, variant_level=1)
    self.EmitSignal(MAIN_IFACE, "SettingChanged", "ssv", [NAMESPACE, "color-scheme", dbus.UInt32(value)])
