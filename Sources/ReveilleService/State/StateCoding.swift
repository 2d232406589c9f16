// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
import ReveilleWire
package import Varlink

/// The coding of the saved state as JSON: the structures of the wire, and the fingerprints of the settings.
package enum StateCoding {
    /// Incremented when the format changes; other versions are not read.
    private static let version: Int64 = 1
    /// The smallest generation or sequence that is rejected.
    ///
    /// No bus reaches it, and one restored from a damaged file's `Int64.max` would overflow at its next change.
    package static let counterLimit = Int64.max / 2
    /// The longest instance in bytes: twice the length of the identifiers that a bus creates.
    ///
    /// Clients send the instance with their positions, in a frame of limited length.
    private static let instanceLimit = 64

    /// Encodes a state.
    package static func encode(_ state: SavedState) -> JSON {
        let entries = state.entries.map { entry -> JSON in
            var fields: JSONObject = [
                "aspect": .string(entry.state.aspect.name),
                "generation": .integer(Int64(entry.generation)),
                "sequence": .integer(Int64(entry.sequence)),
                "changedAt": .integer(entry.changedAt.microseconds),
            ]
            switch entry.state {
            case .whole(let reading): fields["state"] = encode(reading)
            case .digest(let digest, _): fields["digest"] = .integer(Int64(bitPattern: digest))
            }
            if let publisher = entry.publisher {
                fields["publisher"] = .integer(Int64(publisher.user))
                fields["tied"] = .bool(publisher.connection != nil)
            }
            fields["posted"] = .bool(entry.isPosted)
            fields["own"] = entry.ownReading.map(encode)
            return .object(fields)
        }
        return .object([
            "version": .integer(version), "instance": .string(state.instance),
            "sequence": .integer(Int64(state.sequence)), "aspects": .array(entries),
        ])
    }

    private static func encode(_ reading: Reading) -> JSON {
        guard case .defaults(let defaults) = reading else { return ReadingCoding.encode(reading) }
        return .array(defaults.domains.map(encode))
    }

    private static func encode(_ domain: Defaults.Domain) -> JSON {
        let values = domain.values.sorted { $0.key < $1.key }.map { key, value in
            JSONObject.Member(name: key, value: .integer(Int64(bitPattern: value)))
        }
        return .object([
            "name": .string(domain.name), "path": .string(domain.path), "opaque": .bool(domain.isOpaque),
            "values": .object(JSONObject(members: values)),
        ])
    }

    /// Decodes a state.
    ///
    /// - Throws: `StateError` with the missing or invalid part.
    package static func decode(_ json: JSON) throws(StateError) -> SavedState {
        let top = json.objectValue
        guard top?["version"]?.integerValue == version, let instance = top?["instance"]?.stringValue,
            let sequence = counter(top?["sequence"]), let aspects = top?["aspects"]?.arrayValue
        else { throw StateError(reason: "not a saved state of version \(version)") }
        var entries: [SavedState.Entry] = []
        for aspect in aspects {
            if let entry = try decodeEntry(aspect) { entries.append(entry) }
        }
        guard instance.utf8.count <= instanceLimit else {
            throw StateError(reason: "its instance is longer than \(instanceLimit) bytes")
        }
        guard entries.allSatisfy({ $0.sequence <= sequence }) else {
            throw StateError(reason: "an aspect is newer than the state")
        }
        return SavedState(instance: instance, sequence: sequence, entries: entries)
    }

    /// Reads an aspect's entry; `nil` for an aspect that only another version knows.
    private static func decodeEntry(_ json: JSON) throws(StateError) -> SavedState.Entry? {
        guard let fields = json.objectValue, let word = fields["aspect"]?.stringValue,
            let generation = counter(fields["generation"]), let sequence = counter(fields["sequence"]),
            let changedAt = fields["changedAt"]?.integerValue
        else { throw StateError(reason: "an aspect of the saved state lacks a field") }
        guard let aspect = Aspect(word), !aspect.isPattern else { return nil }
        let state: KeptReading
        if aspect.builtIn?.isReportedInParts == true, let digest = fields["digest"]?.integerValue {
            state = .digest(UInt64(bitPattern: digest), of: aspect)
        } else {
            state = .whole(try decodeReading(fields["state"] ?? .null, of: aspect))
        }
        return SavedState.Entry(
            generation: generation, sequence: sequence, changedAt: Timestamp(microseconds: changedAt), state: state,
            isPosted: fields["posted"]?.boolValue ?? false,
            ownReading: try fields["own"].map { json throws(StateError) in try decodeReading(json, of: aspect) },
            publisher: publisher(fields))
    }

    private static func publisher(_ fields: JSONObject) -> Publisher? {
        guard let user = fields["publisher"]?.integerValue.flatMap({ UInt32(exactly: $0) }) else { return nil }
        // No connection of the next bus has the number 0 when it restores the state.
        return Publisher(user: user, connection: fields["tied"]?.boolValue == true ? 0 : nil)
    }

    private static func decodeReading(_ json: JSON, of aspect: Aspect) throws(StateError) -> Reading {
        if aspect == .defaults {
            var domains: [Defaults.Domain] = []
            for domain in json.arrayValue ?? [] { domains.append(try decodeDomain(domain)) }
            return .defaults(Defaults(domains: domains))
        }
        do throws(CallError) {
            return try ReadingCoding.decode(json, of: aspect)
        } catch {
            throw StateError(reason: "\(error)")
        }
    }

    private static func decodeDomain(_ json: JSON) throws(StateError) -> Defaults.Domain {
        guard let name = json.objectValue?["name"]?.stringValue, let path = json.objectValue?["path"]?.stringValue,
            let isOpaque = json.objectValue?["opaque"]?.boolValue,
            let members = json.objectValue?["values"]?.objectValue?.members
        else { throw StateError(reason: "a settings domain of the saved state lacks a field") }
        var values: [String: Defaults.Fingerprint] = [:]
        for member in members {
            guard let value = member.value.integerValue else {
                throw StateError(reason: "\(name): a fingerprint of the saved state is not a number")
            }
            values[member.name] = UInt64(bitPattern: value)
        }
        return Defaults.Domain(name: name, path: path, values: values, isOpaque: isOpaque)
    }

    private static func counter(_ json: JSON?) -> Int? {
        json?.integerValue.flatMap { (0..<counterLimit).contains($0) ? Int($0) : nil }
    }
}
