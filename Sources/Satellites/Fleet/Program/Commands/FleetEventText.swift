// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleCore
import ReveilleFleetCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// The events of a fleet as lines of text.
enum FleetEventText {
    private static let gap = 2
    private static let narrowestDevice = 10
    /// The widest column of devices: values should remain visible beside a long name.
    private static let widestDevice = 34
    private static let aspect = 13

    static func column(_ column: Int?, with device: DeviceID) -> Int {
        max(column ?? narrowestDevice, min(device.text.utf8.count + gap, widestDevice))
    }

    static func line(_ event: DeviceEvent, column: Int) -> StyledText {
        let notes = remarks(event)
        return start(event.device, event.aspect, column) + StyledText(value(of: event))
            + Style.dim(notes.isEmpty ? "" : "  (\(notes.joined(separator: ", ")))")
    }

    static func line(_ status: DeviceStatus, column: Int) -> StyledText {
        start(status.device, "status", column) + StyledText(state(of: status))
    }

    static func line(_ removal: DeviceRemoval, column: Int) -> StyledText {
        start(removal.device, removal.aspect ?? "status", column) + "removed"
    }

    private static func start(_ device: DeviceID, _ word: String, _ column: Int) -> StyledText {
        Style.bold(StyledText(device.text)).padded(to: max(column, device.text.utf8.count + gap))
            + StyledText(word).padded(to: max(aspect, word.columns + gap))
    }

    static func value(of event: DeviceEvent) -> String {
        guard !event.value.isNull else { return "withdrawn" }
        // Published names, and states that this version does not know, are printed as JSON.
        guard let aspect = Aspect(event.aspect), aspect.builtIn != nil,
            let reading = try? ReadingCoding.decode(event.value, of: aspect, noting: UnknownWords())
        else { return event.value.printable }
        return "\(reading)".printable
    }

    private static func remarks(_ event: DeviceEvent) -> [String] {
        var notes: [String] = []
        if let changes = event.changeCount, changes > 1 { notes.append("\(changes) changes") }
        if event.changeCount == 0 { notes.append("unchanged") }
        if event.isNewInstance { notes.append("another instance") }
        return notes
    }

    static func state(of status: DeviceStatus) -> String {
        switch status.reason {
        case .asleep:
            "asleep" + (status.wakeEvery.map { ", wakes every \(IntervalText.text($0.components.seconds))" } ?? "")
                + (status.wakesAt.map { ", wakes at \(LocalTime.date($0)) \(LocalTime.time($0))" } ?? "")
        case .stopped: "stopped"
        case .lost: "lost"
        case .noBus: "online, without a bus"
        case nil: status.isOnline ? "online" : "offline"
        }
    }

    /// The column of the time; a state without one comes from a device whose clock is not set.
    static func time(_ timestamp: Timestamp?, withDate: Bool, isState: Bool = true) -> StyledText {
        let width = withDate ? 21 : 10
        guard let timestamp else { return Style.dim(StyledText(isState ? "no clock" : "")).padded(to: width) }
        let day = withDate ? LocalTime.date(timestamp) + " " : ""
        return Style.dim(StyledText(day + LocalTime.time(timestamp))).padded(to: width)
    }
}

/// Durations in words.
enum IntervalText {
    private static let units: [(seconds: Int64, name: String)] = [(86_400, "d"), (3_600, "h"), (60, "min")]

    /// Returns a number of seconds in the largest unit with at least two: `90 s`, `15 min`.
    static func text(_ seconds: Int64) -> String {
        guard let unit = units.first(where: { seconds >= 2 * $0.seconds || seconds == $0.seconds }) else {
            return "\(seconds) s"
        }
        return "\(seconds / unit.seconds) \(unit.name)"
    }
}

extension DeviceEvent {
    var json: JSON {
        [
            "device": .string(device.text), "aspect": .string(aspect), "value": value,
            "changes": changeCount.map { .integer($0) } ?? .null, "instance": .string(instance),
            "generation": .integer(generation), "newInstance": .bool(isNewInstance),
            "changedAt": changedAt.map { .integer($0.microseconds) } ?? .null,
        ]
    }
}

extension DeviceStatus {
    var json: JSON {
        [
            "device": .string(device.text), "online": .bool(isOnline),
            "reason": reason.map { .string($0.rawValue) } ?? .null,
            "instance": instance.map { .string($0) } ?? .null, "aspects": .array(aspects.map { .string($0) }),
            "version": version.map { .string($0) } ?? .null,
            "wakeEvery": wakeEvery.map { .integer($0.components.seconds) } ?? .null,
            "wakesAt": wakesAt.map { .integer($0.microseconds) } ?? .null,
            "age": age.map { .integer($0.components.seconds) } ?? .null,
        ]
    }
}

extension DeviceRemoval {
    var json: JSON {
        ["device": .string(device.text), "aspect": aspect.map { .string($0) } ?? .null, "removed": true]
    }
}
