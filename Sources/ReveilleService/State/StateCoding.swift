// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleWire
import Varlink

extension SavedState {
    /// Removes the names whose values are nested too deeply for this version, and returns them; as in another instance,
    /// they are no longer published.
    package mutating func removeDeepValues() -> [Aspect] {
        let deep = entries.filter { $0.state.reading?.published?.isTooDeep == true }.map(\.state.aspect)
        entries.removeAll { deep.contains($0.state.aspect) }
        return deep
    }
}

/// The coding of the saved state as JSON: the structures of the wire, the fingerprints of the settings, and publishers.
package enum StateCoding {
    /// Incremented when the format changes; other versions are not read.
    static let version: Int64 = 1
    /// The smallest generation or sequence that is rejected.
    ///
    /// No bus reaches it. A bus restored from a damaged file with `Int64.max` would overflow at its next change.
    package static let counterLimit = Int64.max / 2
    /// The longest instance in bytes, twice that of a bus: clients send it in a frame of limited length.
    static let instanceLimit = 64

    /// Encodes a state; published values are copied as they are, without being parsed.
    package static func encode(_ state: SavedState) -> [UInt8] {
        var top: JSONObject = [
            "version": .integer(version), "instance": .string(state.instance),
            "sequence": .integer(Int64(state.sequence)),
        ]
        if state.firings > 0 { top["firings"] = .integer(Int64(state.firings)) }
        top["timeAsleep"] = state.timeAsleep.flatMap { Int64(exactly: $0) }.map { .integer($0) }
        if !state.selections.isEmpty { top["selections"] = .array(state.selections.map(encode)) }
        var bytes: [UInt8] = []
        top.write(into: &bytes)
        bytes.removeLast()
        bytes += #","aspects":["#.utf8
        for (index, entry) in state.entries.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(entry, into: &bytes)
        }
        bytes += "]}".utf8
        return bytes
    }

    private static func write(_ entry: SavedState.Entry, into bytes: inout [UInt8]) {
        var fields: JSONObject = [
            "aspect": .string(entry.state.aspect.name),
            "generation": .integer(Int64(entry.generation)),
            "sequence": .integer(Int64(entry.sequence)),
            "changedAt": .integer(entry.changedAt.microseconds),
        ]
        if !entry.equal.isEmpty { fields["equal"] = .array(entry.equal.map { .integer(Int64($0)) }) }
        if entry.state.aspect.isPublished {
            fields["start"] = entry.start.map { .integer(Int64($0)) }
            fields["publisher"] = entry.publisher.map { .integer(Int64($0.user)) }
            fields.write(into: &bytes)
            bytes.removeLast()
            bytes += #","state":"#.utf8
            bytes += entry.state.reading?.published?.bytes ?? Array("null".utf8)
            bytes.append(UInt8(ascii: "}"))
            return
        }
        switch entry.state {
        case .whole(let reading): fields["state"] = encode(reading)
        case .digest(let digest, _): fields["digest"] = .integer(Int64(bitPattern: digest))
        }
        fields["posted"] = .bool(entry.isPosted)
        fields["own"] = entry.ownReading.map(encode)
        fields.write(into: &bytes)
    }

    private static func encode(_ selection: SavedState.Selection) -> JSON {
        var fields: JSONObject = [
            "user": .integer(Int64(selection.user)),
            "domains": .array(selection.selection.words.map { .string($0) }),
            "generation": .integer(Int64(selection.generation)), "sequence": .integer(Int64(selection.sequence)),
            "changedAt": .integer(selection.changedAt.microseconds), "start": .integer(Int64(selection.start)),
        ]
        if !selection.equal.isEmpty { fields["equal"] = .array(selection.equal.map { .integer(Int64($0)) }) }
        fields["digest"] = selection.digest.map { .integer(Int64(bitPattern: $0)) }
        return .object(fields)
    }

    private static func encode(_ reading: Reading) -> JSON {
        switch reading {
        case .defaults(let defaults): .array(defaults.domains.map(encode))
        case .folders(let folders): .array(folders.listings.map(encode))
        default: ReadingCoding.encode(reading)
        }
    }

    private static func encode(_ listing: FolderListing) -> JSON {
        let entries = listing.entries.map { entry in
            JSON.array([
                .string(entry.name.text), .integer(Int64(bitPattern: entry.identity)),
                .integer(Int64(bitPattern: entry.stamp)),
            ])
        }
        var fields: JSONObject = ["name": .string(listing.name), "path": .string(listing.path)]
        fields["version"] = listing.version.map { .integer(Int64(bitPattern: $0)) }
        fields["entries"] = .array(entries)
        return .object(fields)
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
}
