// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
package import Varlink

/// The payload of `DEVICE/state/ASPECT`: a state, and its place in the sequence of states.
package struct StateMessage: Sendable, Hashable {
    /// The largest generation: integers beyond it are not exact in JSON for many readers (RFC 8259, 6).
    package static let generationLimit: Int64 = 1 << 53 - 1
    /// The longest name of an instance in bytes.
    static let instanceLimit = 64

    /// The bus of the device; another bus counts generations anew.
    package var instance: String
    /// The number of the state; each change adds one.
    package var generation: Int64
    /// The changes since the last state that the broker acknowledged; 0 for a state that was sent without a change.
    ///
    /// A reader that missed a message must not add up these numbers: the difference of generations is its count.
    package var changes: Int64
    /// The time of the last change on the device's clock, in microseconds since 1970, UTC.
    package var changedAt: Int64
    /// Whether the device's clock was synchronized when the message was sent.
    package var isSynchronized: Bool
    /// The state as on the bus of the device; `null` for a name that was withdrawn.
    package var value: JSON
    package init(
        instance: String, generation: Int64, changes: Int64, changedAt: Int64, isSynchronized: Bool = true, value: JSON
    ) {
        self.instance = instance
        self.generation = generation
        self.changes = changes
        self.changedAt = changedAt
        self.isSynchronized = isSynchronized
        self.value = value
    }

    /// Decodes a payload.
    ///
    /// - Throws: ``FleetError`` with ``FleetError/Code/invalidMessage`` and the reason.
    package init(_ bytes: [UInt8]) throws(FleetError) {
        let payload = try Payload(bytes)
        instance = try Self.checkedInstance(try payload.text("instance"))
        generation = try Payload.required(
            try payload.count("generation", atMost: Self.generationLimit), "generation")
        changes = try payload.count("changes", atMost: Self.generationLimit) ?? 0
        changedAt = try payload.count("changedAt") ?? 0
        isSynchronized = try payload.flag("synchronized") ?? true
        value = try Payload.required(payload.object["value"], "value")
        guard value.isNull || value.objectValue != nil else {
            throw Payload.error("has a \"value\" that is neither an object nor null")
        }
        guard changes <= generation else {
            throw Payload.error("has \(changes) change\(changes == 1 ? "" : "s") at generation \(generation)")
        }
    }

    /// The payload.
    package var bytes: [UInt8] {
        var members: JSONObject = [
            "instance": .string(instance), "generation": .integer(generation), "changes": .integer(changes),
            "changedAt": .integer(changedAt),
        ]
        if !isSynchronized { members["synchronized"] = false }
        members["value"] = value
        return JSON.object(members).bytes
    }

    static func checkedInstance(_ text: String?) throws(FleetError) -> String {
        let instance = try Payload.required(text, "instance")
        guard !instance.isEmpty, instance.utf8.count <= instanceLimit, instance.utf8.allSatisfy(NameRule.isAllowed)
        else {
            throw Payload.error("has the invalid instance '\(instance.escaped)'")
        }
        return instance
    }
}
