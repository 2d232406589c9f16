// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import ReveilleWire
import Varlink

extension Event: Codable {
    /// Decodes an event from its form on the wire, which `reveille watch --json` prints too; words that a later version
    /// adds are unknown.
    ///
    /// - Throws: `DecodingError`, with the reason, if the value is not an event.
    public init(from decoder: any Decoder) throws {
        let structure = JSON.object(try JSONObject(from: decoder))
        do throws(CallError) {
            self = try Event(structure: structure, noting: UnknownWords())
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not an event: \(error)"))
        }
    }

    /// Encodes the event in its form on the wire, which `reveille watch --json` prints too.
    ///
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try structure.encode(to: encoder)
    }
}
