// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

public import ReveilleCore
import ReveilleWire
import Varlink

extension Event: Codable {
    /// Decodes an event in the form that it has on the wire and in the output of `reveille watch --json`.
    public init(from decoder: any Decoder) throws {
        let structure = JSON.object(try JSONObject(from: decoder))
        do throws(CallError) {
            self = try EventCoding.decode(structure)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not an event: \(error)"))
        }
    }

    /// Encodes the event in the form that it has on the wire and in the output of `reveille watch --json`.
    public func encode(to encoder: any Encoder) throws {
        try EventCoding.encode(self).encode(to: encoder)
    }
}
