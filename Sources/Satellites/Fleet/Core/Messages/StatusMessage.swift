// SPDX-License-Identifier: Apache-2.0

import Varlink

/// The payload of `DEVICE/status`: whether a device is connected, and why not.
package struct StatusMessage: Sendable, Hashable {
    package typealias Reason = DeviceStatus.Reason

    /// The age in seconds at which the broker forgets the status: ten years.
    ///
    /// Brokers deliver the remaining time with each message, and thus the age of the status on their own clock.
    package static let lease: UInt32 = 315_360_000
    /// The most aspects of a device, so that the message fits.
    package static let aspectLimit = 1_000

    /// Whether the device is connected.
    package var isOnline: Bool
    /// Why it is not connected, or not complete; `nil` if all is well.
    package var reason: Reason?
    /// The bus of the device; `nil` if it is unknown, as in a will.
    package var instance: String?
    /// The aspects whose states the broker has; empty if unknown.
    package var aspects: [String]
    /// The desired values that the bus of the device has taken; `nil` if the device does not report them.
    package var taken: [String: FleetPosition]?
    /// The version of the bridge.
    package var version: String?
    /// The seconds between two wakes of a device that disconnects in between.
    package var wakeEvery: Int64?
    /// The time of the alarm that wakes the machine, which sleeps, in microseconds since 1970.
    package var wakesAt: Int64?
    package init(
        isOnline: Bool, reason: Reason? = nil, instance: String? = nil, aspects: [String] = [],
        taken: [String: FleetPosition]? = nil, version: String? = nil, wakeEvery: Int64? = nil, wakesAt: Int64? = nil
    ) {
        self.isOnline = isOnline
        self.reason = reason
        self.instance = instance
        self.aspects = aspects
        self.taken = taken
        self.version = version
        self.wakeEvery = wakeEvery
        self.wakesAt = wakesAt
    }

    /// Decodes a payload.
    ///
    /// A reason of a later version counts as none.
    ///
    /// - Throws: ``FleetError`` with ``FleetError/Code/invalidMessage`` and the reason.
    package init(_ bytes: [UInt8]) throws(FleetError) {
        let payload = try Payload(bytes)
        isOnline = try Payload.required(try payload.flag("online"), "online")
        reason = try payload.text("reason").flatMap(Reason.init)
        instance = try payload.text("instance").map { text throws(FleetError) in
            try StateMessage.checkedInstance(text)
        }
        aspects = try payload.texts("aspects") ?? []
        taken = payload.object["desired"]?.objectValue.map { names in
            Dictionary(
                names.members.compactMap { name in FleetPosition(name.value).map { (name.name, $0) } },
                uniquingKeysWith: { $1 })
        }
        version = try payload.text("version")
        wakeEvery = try payload.count("wakeEvery")
        wakesAt = try payload.count("wakesAt")
        guard aspects.count <= Self.aspectLimit else {
            throw Payload.error("has \(aspects.count) aspects, the maximum is \(Self.aspectLimit)")
        }
        if let invalid = aspects.first(where: { !FleetTopic.isAspect($0) }) {
            throw Payload.error("has the invalid aspect '\(invalid.escaped)'")
        }
    }

    /// The payload.
    package var bytes: [UInt8] {
        var members: JSONObject = ["online": .bool(isOnline)]
        if let reason { members["reason"] = .string(reason.rawValue) }
        if let instance { members["instance"] = .string(instance) }
        if !aspects.isEmpty { members["aspects"] = .array(aspects.map { .string($0) }) }
        if let taken {
            let names = taken.sorted { $0.key < $1.key }.map { JSONObject.Member(name: $0.key, value: $0.value.json) }
            members["desired"] = .object(JSONObject(members: names))
        }
        if let version { members["version"] = .string(version) }
        if let wakeEvery { members["wakeEvery"] = .integer(wakeEvery) }
        if let wakesAt { members["wakesAt"] = .integer(wakesAt) }
        return JSON.object(members).bytes
    }
}
