// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleFleetCore
package import Varlink

/// The page's view of one device.
package struct FleetTile: Sendable, Hashable {
    /// A state that the broker has, as JSON text, which takes much less memory than a value.
    struct State: Sendable, Hashable {
        let value: [UInt8]
        let changedAt: Int64?

        var json: JSON { (try? JSON.parse(value)) ?? .null }
    }

    /// The most bytes of the last change's value in a tile; a page reads a longer one when the tile is opened.
    private static let valueLimit = 1_024

    /// The poses that a device can have; another word is unknown.
    private static let poses: Set<String> = [
        "portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown",
    ]

    /// Whether the device is connected, in a word: `online`, `noBus`, `asleep`, `stopped`, `lost` or `unknown`.
    package var state = "unknown"
    /// The time of the status on the broker's clock, in microseconds since 1970, UTC.
    package var seenAt: Int64?
    /// The seconds between two wakes of a device that sleeps.
    package var wakeEvery: Int64?
    /// The time of the alarm that wakes the machine of a device, in microseconds since 1970.
    package var wakesAt: Int64?
    package var version: String?
    /// The level of the battery from 0 to 1.
    package var level: Double?
    package var isPlugged: Bool?
    package var pose: String?
    package var isNear: Bool?
    package var aspect: String?
    /// The time of the last change, in microseconds since 1970, UTC; `nil` if it is unknown.
    package var changedAt: Int64?
    /// The changes in the last event; `nil` if unknown.
    package var merged: Int64?
    /// The changes since this program first saw the device.
    ///
    /// The events' numbers are consecutive differences of generations, so their sum is the difference between the first
    /// generation and the last. A page that was away subtracts the total that it has seen.
    package var total: Int64 = 0
    /// The number of events with an unknown number of changes, such as from a new instance.
    package var unknown: Int64 = 0
    /// The device's problems: the newest of each kind, in the order of their reports.
    var problems: [BoardProblem] = []

    /// The states that the broker has, by aspect.
    var states: [String: State] = [:]
    /// Whether the last state had a time: the device's clock is synchronized, and plausible.
    private var isClockSet = true
    var hasStatus = false
    /// The number of the tile's last change on the board.
    var revision: Int64 = 0

    mutating func take(_ status: DeviceStatus, at now: Int64) {
        hasStatus = true
        state = status.isOnline ? (status.reason == .noBus ? "noBus" : "online") : status.reason?.rawValue ?? "lost"
        seenAt = status.age.map { now - $0.components.seconds.multipliedReportingOverflow(by: 1_000_000).partialValue }
        wakeEvery = status.wakeEvery?.components.seconds
        wakesAt = status.wakesAt?.microseconds
        version = status.version
        for index in problems.indices { problems[index].keep(status.aspects) }
    }

    mutating func take(_ problem: BoardProblem) {
        problems.removeAll { $0.kind == problem.kind }
        problems.append(problem)
    }

    mutating func take(_ event: DeviceEvent) {
        // The first states of a device come in any order.
        let time = event.changedAt?.microseconds
        states[event.aspect] = State(value: event.value.bytes, changedAt: time)
        isClockSet = time != nil
        if event.changeCount != nil || aspect == nil || (time ?? .min) > (changedAt ?? .min) {
            (aspect, changedAt, merged) = (event.aspect, time, event.changeCount)
        }
        if let changes = event.changeCount {
            total = total.addingReportingOverflow(changes).partialValue
        } else {
            unknown += 1
        }
        show(event.value, of: event.aspect)
        for index in problems.indices { problems[index].take(event) }
    }

    /// Forgets an aspect, or the status.
    mutating func remove(_ aspect: String?) {
        guard let aspect else {
            (hasStatus, state, seenAt, wakeEvery, wakesAt) = (false, "unknown", nil, nil, nil)
            return
        }
        states[aspect] = nil
        show(.null, of: aspect)
        for index in problems.indices { problems[index].settle(aspect) }
    }

    private mutating func show(_ value: JSON, of aspect: String) {
        let value = value.objectValue
        switch aspect {
        case "battery":
            level = value?["level"]?.numberValue.flatMap { (0...1).contains($0) ? $0 : nil }
            isPlugged = value?["plugged"]?.boolValue
        case "orientation": pose = value?["pose"]?.stringValue.flatMap { Self.poses.contains($0) ? $0 : nil }
        case "proximity":
            let state = value?["state"]?.stringValue
            isNear = ["near", "far"].contains(state) ? state == "near" : nil
        default: break
        }
    }

    /// The tile for the page, without members that are unknown.
    func json(_ device: DeviceID) -> JSON {
        let last = aspect.flatMap { states[$0] }
        let isShort = last.map { $0.value.count <= Self.valueLimit } ?? false
        let members: [(String, JSON?)] = [
            ("device", .string(device.text)), ("state", .string(state)), ("seenAt", seenAt.map { .integer($0) }),
            ("wakeEvery", wakeEvery.map { .integer($0) }), ("wakesAt", wakesAt.map { .integer($0) }),
            ("version", version.map { .string($0.escaped) }),
            ("level", level.map { .number($0) }), ("plugged", isPlugged.map { .bool($0) }),
            ("pose", pose.map { .string($0) }), ("near", isNear.map { .bool($0) }),
            ("aspect", aspect.map { .string($0) }), ("changedAt", changedAt.map { .integer($0) }),
            ("value", isShort ? last?.json : nil), ("clock", isClockSet ? nil : "unset"),
            ("merged", merged.map { .integer($0) }), ("total", .integer(total)), ("unknown", .integer(unknown)),
            ("problem", problems.last.map { .string($0.text) }),
        ]
        return .object(
            JSONObject(members: members.compactMap { name, value in value.map { .init(name: name, value: $0) } }))
    }

    /// The states for an open tile, in the order of their aspects.
    package var statesJSON: JSON {
        .array(
            states.sorted { $0.key < $1.key }.map { aspect, state in
                var members: JSONObject = ["aspect": .string(aspect), "value": state.json]
                members["changedAt"] = state.changedAt.map { .integer($0) }
                return .object(members)
            })
    }
}
