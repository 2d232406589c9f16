// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// A service that a preset follows: the real one where it runs without hardware, else one by python-dbusmock.
struct PresetService: Sendable, CustomTestStringConvertible {
    /// Makes the service change a value, whose argument is what the service calls it.
    typealias Change = (_ argument: String) throws -> Void

    private static let packages = Package.root + "/.build-dbus"
    static let areThere =
        DBusScene.isThere && access(packages + "/complete", R_OK) == 0 && access("/usr/bin/python3", X_OK) == 0
    /// Programs find what is unpacked, not installed.
    private static let environment = [
        "PYTHONPATH": packages + "/usr/lib/python3/dist-packages",
        "LD_LIBRARY_PATH": ["x86_64", "aarch64"].map { "\(packages)/usr/lib/\($0)-linux-gnu" }.joined(separator: ":"),
        "CMUS_LIB_DIR": packages + "/usr/lib/cmus", "CMUS_DATA_DIR": packages + "/usr/share/cmus", "TERM": "linux",
    ]

    /// The published name, and the member of its value that changes.
    let name: String
    let member: String
    /// Two values in turn: what the service is set to, and what is published.
    let values: [(argument: String, published: JSON)]
    let start: @Sendable (DBusScene) throws -> Change

    var testDescription: String { name }

    private static func mock(_ template: String, of name: String, in scene: DBusScene) throws {
        let file = "\(Package.root)/Tests/DBusMocks/\(template).py"
        let command = ["/usr/bin/python3", "-m", "dbusmock", "--template", access(file, R_OK) == 0 ? file : template]
        try scene.start(name, command, environment)
    }

    private static let mockInterface = "org.freedesktop.DBus.Mock"
}

extension PresetService {
    static let all = [
        appearance, players, network, modem, bluetooth, peripherals, profile, session,
    ]

    private static let appearance = PresetService(
        name: "org.freedesktop.appearance", member: "colorScheme", values: [("0", "none"), ("1", "dark")]
    ) { scene in
        let name = "org.freedesktop.portal.Desktop"
        try mock("portal", of: name, in: scene)
        return { value in
            try scene.busctl(
                "call", name, "/org/freedesktop/portal/desktop", mockInterface, "SetColorScheme", "u", value)
        }
    }

    /// A real player, which draws on a terminal.
    private static let players = PresetService(
        name: "org.mpris.player.cmus", member: "loop", values: [("false", "None"), ("true", "Playlist")]
    ) { scene in
        let directory = scene.bus.directory.path
        let variables = environment.merging(["CMUS_HOME": directory, "CMUS_SOCKET": directory + "/cmus"]) { $1 }
        try scene.start(
            "org.mpris.MediaPlayer2.cmus", ["script", "--quiet", "--command", packages + "/usr/bin/cmus", "/dev/null"],
            variables)
        return { value in
            let run = try scene.run([packages + "/usr/bin/cmus-remote", "--raw", "set repeat=\(value)"], variables)
            guard run.code == 0 else { throw Trouble("cmus-remote: \(run.errors)") }
        }
    }

    private static let network = PresetService(
        name: "org.freedesktop.NetworkManager", member: "state", values: [("70", "global"), ("20", "disconnected")]
    ) { scene in
        let name = "org.freedesktop.NetworkManager"
        try mock("networkmanager", of: name, in: scene)
        return { value in
            try scene.busctl(
                "call", name, "/org/freedesktop/NetworkManager", mockInterface, "SetGlobalConnectionState", "u", value)
        }
    }

    private static let modem = PresetService(
        name: "org.freedesktop.ModemManager1.0", member: "state", values: [("8", "registered"), ("11", "connected")]
    ) { scene in
        let (name, path) = ("org.freedesktop.ModemManager1", "/org/freedesktop/ModemManager1")
        let interface = name + ".Modem"
        try scene.start(
            name, ["/usr/bin/python3", "-m", "dbusmock", "--system", "--is-object-manager", name, path, name],
            environment)
        try scene.busctl(
            "call", name, path, mockInterface, "AddObject", "ssa{sv}a(ssss)", path + "/Modem/0", interface, "3",
            "State",
            "i", "8", "SignalQuality", "(ub)", "61", "true", "AccessTechnologies", "u", "16384", "0")
        return { value in
            try scene.busctl(
                "call", name, path + "/Modem/0", mockInterface, "UpdateProperties", "sa{sv}", interface, "1", "State",
                "i",
                value)
        }
    }

    private static let bluetooth = PresetService(
        name: "org.bluez.device.hci0-dev_11_22_33_44_55_66", member: "percentage", values: [("80", 80), ("79", 79)]
    ) { scene in
        let (name, device) = ("org.bluez", "/org/bluez/hci0/dev_11_22_33_44_55_66")
        try mock("bluez5", of: name, in: scene)
        let manager = ["call", name, "/org/bluez", "org.bluez.Mock"]
        for call in [
            ["AddAdapter", "ss", "hci0", "machine"], ["AddDevice", "sss", "hci0", "11:22:33:44:55:66", "Mouse"],
            ["PairDevice", "ssi", "hci0", "11:22:33:44:55:66", "5898764"],
        ] { try scene.busctl(manager + call) }
        let battery = "org.bluez.Battery1"
        try scene.busctl(
            "call", name, device, mockInterface, "AddProperties", "sa{sv}", battery, "1", "Percentage", "y", "80")
        return { value in
            try scene.busctl(
                "call", name, device, mockInterface, "UpdateProperties", "sa{sv}", battery, "1", "Percentage", "y",
                value)
        }
    }

    /// The real UPower, with the battery of a mouse.
    private static let peripherals = PresetService(
        name: "org.freedesktop.UPower.device.battery_hid_mouse", member: "percentage", values: [("55", 55), ("54", 54)]
    ) { scene in
        let testbed = try Testbed()
        let battery = try testbed.add(
            subsystem: "power_supply", name: "hid_mouse",
            attributes: [
                "type": "Battery", "scope": "Device", "present": "1", "status": "Discharging", "capacity": "55",
                "model_name": "MX Master", "online": "1",
            ])
        let directory = ["UPOWER_HISTORY_DIR": scene.bus.directory.path]
        try scene.start(
            "org.freedesktop.UPower", [packages + "/usr/libexec/upowerd"],
            environment.merging(testbed.environment) { $1 }.merging(environment) { $1 }.merging(directory) { $1 })
        return { value in
            try battery.set("capacity", value)
            try battery.uevent("change")
        }
    }

    /// The real power-profiles-daemon, without a driver for this machine, and a mock that permits everything.
    private static let profile = PresetService(
        name: "org.freedesktop.PowerProfiles", member: "profile",
        values: [("balanced", "balanced"), ("power-saver", "power-saver")]
    ) { scene in
        let (name, policy) = ("net.hadess.PowerProfiles", "org.freedesktop.PolicyKit1")
        try mock("polkitd", of: policy, in: scene)
        try scene.busctl(
            "call", policy, "/org/freedesktop/PolicyKit1/Authority", mockInterface, "AllowUnknown", "b", "true")
        let directory = ["UMOCKDEV_DIR": scene.bus.directory.path + "/devices"]
        try scene.start(
            name, [packages + "/usr/libexec/power-profiles-daemon"], environment.merging(directory) { $1 })
        return { value in
            try scene.busctl("set-property", name, "/net/hadess/PowerProfiles", name, "ActiveProfile", "s", value)
        }
    }

    private static let session = PresetService(
        name: "org.freedesktop.login1.session", member: "locked", values: [("false", false), ("true", true)]
    ) { scene in
        let name = "org.freedesktop.login1"
        try mock("session", of: name, in: scene)
        return { value in
            try scene.busctl("call", name, "/org/freedesktop/login1", mockInterface, "SetLocked", "b", value)
        }
    }
}
