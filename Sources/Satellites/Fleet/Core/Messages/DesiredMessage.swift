// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The payload of `DEVICE/desired/NAME` and `group/GROUP/desired/NAME`: a value, and how often values were set.
///
/// A plain JSON object without `generation` is another program's value, without a count.
package struct DesiredMessage: Sendable, Hashable {
    /// The sequence of values that the generation belongs to; `nil` for a plain value.
    package var instance: String?
    /// The number of the value in its sequence, one more for each value that is set; `nil` for a plain value.
    package var generation: Int64?
    /// The time of setting, in microseconds since 1970, UTC; `nil` if unknown.
    package var changedAt: Int64?
    package var value: JSONObject
    /// The identity of the set; empty if the value is set again, to count others; `nil` for other programs' messages.
    package var set: String?
    package init(
        instance: String?, generation: Int64?, changedAt: Int64?, value: JSONObject, set: String? = nil
    ) {
        self.set = set
        self.instance = instance
        self.generation = generation
        self.changedAt = changedAt
        self.value = value
    }

    /// The number with its sequence; `nil` for a plain value.
    package var position: FleetPosition? {
        guard let instance, let generation else { return nil }
        return FleetPosition(instance: instance, generation: generation)
    }

    /// Decodes a payload.
    ///
    /// - Throws: ``FleetError`` with ``FleetError/Code/invalidMessage`` and the reason.
    package init(_ bytes: [UInt8]) throws(FleetError) {
        let payload = try Payload(bytes)
        guard payload.object["generation"] != nil, payload.object["instance"] != nil else {
            self.init(instance: nil, generation: nil, changedAt: nil, value: payload.object)
            return
        }
        guard let value = payload.object["value"]?.objectValue else {
            throw Payload.error("has a \"value\" that is not an object")
        }
        self.init(
            instance: try StateMessage.checkedInstance(try payload.text("instance")),
            generation: try Payload.required(
                try payload.count("generation", atMost: StateMessage.generationLimit), "generation"),
            changedAt: try payload.count("changedAt"), value: value, set: payload.object["set"]?.stringValue)
    }

    /// The payload.
    package var bytes: [UInt8] {
        guard let instance, let generation else { return JSON.object(value).bytes }
        var members: JSONObject = ["instance": .string(instance), "generation": .integer(generation)]
        if let changedAt { members["changedAt"] = .integer(changedAt) }
        if let set { members["set"] = .string(set) }
        members["value"] = .object(value)
        return JSON.object(members).bytes
    }
}
