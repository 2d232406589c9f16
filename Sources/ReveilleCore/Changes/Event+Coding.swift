// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Event: Codable {
    private enum CodingKeys: String, CodingKey {
        case aspect, generation, sequence, changes, netChange, firstChangedAt, changedAt, dropped
    }

    /// Decodes an event in the form that it has on the wire.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let aspect = try container.decode(Aspect.self, forKey: .aspect)
        self.init(
            reading: try Reading(aspect, from: decoder.container(keyedBy: Reading.CodingKey.self)),
            generation: try container.decode(Int.self, forKey: .generation),
            sequence: try container.decode(Int.self, forKey: .sequence),
            changes: try container.decode(Int.self, forKey: .changes),
            netChange: try container.decode(Bool.self, forKey: .netChange),
            firstChangedAt: try container.decode(Timestamp.self, forKey: .firstChangedAt),
            changedAt: try container.decode(Timestamp.self, forKey: .changedAt),
            dropped: try container.decode(Int.self, forKey: .dropped))
    }

    /// Encodes the event in the form that it has on the wire.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(aspect, forKey: .aspect)
        try container.encode(generation, forKey: .generation)
        try container.encode(sequence, forKey: .sequence)
        try container.encode(changes, forKey: .changes)
        try container.encode(netChange, forKey: .netChange)
        try container.encode(firstChangedAt, forKey: .firstChangedAt)
        try container.encode(changedAt, forKey: .changedAt)
        try container.encode(dropped, forKey: .dropped)
        var fields = encoder.container(keyedBy: Reading.CodingKey.self)
        try reading.encode(to: &fields)
    }
}

extension Event: CustomStringConvertible {
    /// A line of text: `battery: unplugged, 62% (14 changes)`.
    public var description: String {
        "\(aspect): \(reading)" + (remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))")
    }

    /// Notes on merged and dropped changes: `14 changes`, `back where it was`, `2 dropped`.
    public var remarks: [String] {
        var parts: [String] = []
        if changes > 1 { parts.append("\(changes) changes") }
        if changes > 0 && !netChange { parts.append("back where it was") }
        if dropped > 0 { parts.append("\(dropped) dropped") }
        return parts
    }
}
