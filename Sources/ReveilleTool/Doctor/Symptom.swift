// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore

/// What people see when something is wrong: the headings of the page on troubleshooting, with its answers, word for word.
enum Symptom: String, CaseIterable {
    case nothingArrives = "Nothing arrives"
    case wrongCounts = "Counts look wrong"
    case missingSensor = "The sensor is missing"
    case wrongTurn = "The screen turns the wrong way"
    case unknownBattery = "The battery says unknown"
    case otherBus = "The bus is another one"
    case quotaExceeded = "QuotaExceeded"
    case noWake = "It does not wake the machine"
    case notSuspended = "A program is not suspended"

    static let source = "Docs/Guide/Troubleshooting.md"
    /// Where the packages install the page.
    static let installed = "/usr/share/doc/reveille/Guide/Troubleshooting.md"
    /// The page as this machine has it.
    static var page: String { access(installed, R_OK) == 0 ? installed : source + " of the sources" }

    /// The section of the page: a stable word for programs.
    var section: String { rawValue.lowercased().split(separator: " ").joined(separator: "-") }

    /// The symptom that the source of an aspect explains, or may explain, since only a person knows how a screen turns.
    init?(of aspect: BuiltInAspect, isKnown: Bool) {
        switch (aspect, isKnown) {
        case (.battery, false), (.power, false): self = .unknownBattery
        case (.orientation, true): self = .wrongTurn
        case (.orientation, false), (.motion, false), (.shake, false), (.proximity, false), (.light, false):
            self = .missingSensor
        default: return nil
        }
    }

    /// The answers to a symptom that can be detected, one on each line of a text; empty for others.
    var answers: [Substring] { text.split(separator: "\n") }

    private var text: String {
        switch self {
        case .wrongCounts: ""
        case .nothingArrives:
            """
            held: app: the program entered the background. It has to return to the foreground itself.
            held: operator: a shell, or somebody with a terminal, sent it there. reveille wake NAME returns it.
            held: frozen: its cgroup is frozen. Use reveille wake NAME, or systemctl --user thaw UNIT.
            held: unread: the program has not read its last event. It hangs, is stopped, or is busy with something \
            else.
            """
        case .missingSensor:
            """
            no accelerometer, no proximity sensor: the kernel has no such device. Load the driver, or look into \
            dmesg.
            Permission denied: the device belongs to another group. The packages install a udev rule; log in again.
            In a container or over SSH there is often no sensor to see. Mount /sys and /run/udev into the container.
            """
        case .wrongTurn:
            """
            Correct it with the udev property ACCEL_MOUNT_MATRIX in a file of /etc/udev/hwdb.d, or with \
            orientation.matrix or orientation.frame in the configuration.
            Check with reveille watch orientation while you turn the device.
            """
        case .unknownBattery:
            """
            Level and state are null: the device has no battery, or its driver fails. cat \
            /sys/class/power_supply/*/uevent shows the kernel's view.
            The battery of a mouse or a headset is not counted. Name one that is counted wrongly in battery.ignore.
            """
        case .otherBus:
            """
            Programs use the bus at REVEILLE_ADDRESS if it is set, otherwise the user's own bus, otherwise the \
            system bus.
            Root has no bus of its own: under sudo, programs reach the system bus.
            """
        case .quotaExceeded:
            """
            A program connects for each question, or subscribes without closing. reveille status lists subscriptions \
            by process.
            """
        case .noWake:
            """
            The machine needs a clock that can wake it (/sys/class/rtc), a system bus with CAP_WAKE_ALARM, and for \
            entries of a user's bus the permission schedule.wake on the system bus.
            """
        case .notSuspended:
            """
            It shares its cgroup with others, or with the bus: start it with reveille run -- COMMAND, or as a unit.
            A system bus without privileges freezes nothing.
            """
        }
    }
}
