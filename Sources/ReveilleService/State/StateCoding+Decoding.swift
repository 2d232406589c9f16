// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleWire
package import Varlink

extension StateCoding {
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
        // The sequence grows with every generation, and the generations of a name that comes back begin above it.
        guard entries.allSatisfy({ $0.sequence <= sequence && $0.generation <= sequence }) else {
            throw StateError(reason: "an aspect is newer than the state")
        }
        let limit = Configuration.Publish.nameRange.upperBound
        let names = Dictionary(entries.compactMap { $0.publisher.map { ($0.user, 1) } }, uniquingKeysWith: +)
        guard names.values.allSatisfy({ $0 <= limit }) else {
            throw StateError(reason: "a user has more than \(limit) names")
        }
        let selections = try decodeSelections(top?["selections"]?.arrayValue ?? [], atMost: sequence)
        return SavedState(
            instance: instance, sequence: sequence, entries: entries, selections: selections,
            firings: counter(top?["firings"]) ?? 0,
            timeAsleep: counter(top?["timeAsleep"]).map { UInt64($0) })
    }

    private static func decodeSelections(
        _ list: [JSON], atMost sequence: Int
    ) throws(StateError) -> [SavedState.Selection] {
        var selections: [SavedState.Selection] = []
        for json in list {
            guard let fields = json.objectValue, let words = fields["domains"]?.arrayValue?.compactMap(\.stringValue),
                let domains = try? DomainSelection(words),
                let user = fields["user"]?.integerValue.flatMap({ UInt32(exactly: $0) }),
                let generation = counter(fields["generation"]), let last = counter(fields["sequence"]),
                let start = counter(fields["start"]), let changedAt = fields["changedAt"]?.integerValue
            else { throw StateError(reason: "chosen domains of the saved state lack a field") }
            guard start <= generation, generation - 1 <= sequence, last <= sequence else {
                throw StateError(reason: "chosen domains are newer than the state")
            }
            guard !selections.contains(where: { $0.user == user && $0.selection == domains }),
                selections.count(where: { $0.user == user }) < Bus.selectionsPerUser
            else { throw StateError(reason: "a user has chosen domains twice, or too many") }
            selections.append(
                SavedState.Selection(
                    user: user, selection: domains, generation: generation, sequence: last,
                    changedAt: Timestamp(microseconds: changedAt), start: start,
                    equal: (fields["equal"]?.arrayValue ?? []).compactMap { counter($0) }.filter { $0 < generation },
                    digest: fields["digest"]?.integerValue.map { UInt64(bitPattern: $0) }))
        }
        return selections
    }

    /// Reads an aspect's entry; `nil` for an unknown aspect of another version.
    private static func decodeEntry(_ json: JSON) throws(StateError) -> SavedState.Entry? {
        guard let fields = json.objectValue, let word = fields["aspect"]?.stringValue,
            let generation = counter(fields["generation"]), let sequence = counter(fields["sequence"]),
            let changedAt = fields["changedAt"]?.integerValue
        else { throw StateError(reason: "an aspect of the saved state lacks a field") }
        guard let aspect = Aspect(word), !aspect.isPattern else { return nil }
        let equal = (fields["equal"]?.arrayValue ?? []).compactMap { counter($0) }.filter { $0 < generation }
        if aspect.isPublished {
            let value = try decodeValue(fields, of: aspect)
            let start = counter(fields["start"])
            guard start ?? 0 <= generation else {
                throw StateError(reason: "\(aspect): the saved log begins after its last change")
            }
            return SavedState.Entry(
                generation: generation, sequence: sequence, changedAt: Timestamp(microseconds: changedAt),
                state: .whole(.published(value)),
                publisher: value.bytes == nil ? nil : try decodePublisher(fields, of: aspect), start: start,
                equal: equal)
        }
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
            equal: equal)
    }

    /// Reads the value of a name, and makes it canonical: a bus saves canonical values only.
    private static func decodeValue(_ fields: JSONObject, of name: Aspect) throws(StateError) -> PublishedValue {
        guard let value = PublishedValue(name, restoring: fields["state"] ?? .null) else {
            throw StateError(reason: "\(name): the saved value is not an object")
        }
        // A configuration of an earlier version could allow values that are as long as a call.
        let limit = Limits.frame
        guard value.bytes?.count ?? 0 <= limit else {
            throw StateError(reason: "\(name): the saved value is longer than \(limit) bytes")
        }
        return value
    }

    private static func decodePublisher(_ fields: JSONObject, of name: Aspect) throws(StateError) -> Publisher {
        guard let user = fields["publisher"]?.integerValue.flatMap({ UInt32(exactly: $0) }) else {
            throw StateError(reason: "\(name): the saved publisher is not a user")
        }
        return Publisher(user: user)
    }

    private static func decodeReading(_ json: JSON, of aspect: Aspect) throws(StateError) -> Reading {
        if aspect == .defaults {
            var domains: [Defaults.Domain] = []
            for domain in json.arrayValue ?? [] { domains.append(try decodeDomain(domain)) }
            return .defaults(Defaults(domains: domains))
        }
        if aspect == .folders {
            var listings: [FolderListing] = []
            for listing in json.arrayValue ?? [] { listings.append(try decodeListing(listing)) }
            return .folders(Folders(listings: listings))
        }
        return try Result { () throws(CallError) in try ReadingCoding.decode(json, of: aspect) }
            .mapError { StateError(reason: "\($0)") }.get()
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

    private static func decodeListing(_ json: JSON) throws(StateError) -> FolderListing {
        guard let fields = json.objectValue, let name = fields["name"]?.stringValue,
            let path = fields["path"]?.stringValue, let entries = fields["entries"]?.arrayValue
        else { throw StateError(reason: "a folder of the saved state lacks a field") }
        var names: Set<EntryName> = []
        let decoded = entries.compactMap { json -> FolderEntry? in
            guard let parts = json.arrayValue, parts.count == 3, let text = parts[0].stringValue,
                let identity = parts[1].integerValue, let stamp = parts[2].integerValue,
                names.insert(EntryName(escaped: text)).inserted
            else { return nil }
            return FolderEntry(
                name: EntryName(escaped: text), identity: UInt64(bitPattern: identity),
                stamp: UInt64(bitPattern: stamp))
        }
        guard decoded.count == entries.count else {
            throw StateError(reason: "\(name): an entry of the saved folder is not a name with two numbers")
        }
        return FolderListing(
            name: name, path: path, entries: decoded,
            version: fields["version"]?.integerValue.map { UInt64(bitPattern: $0) })
    }

    /// Returns a generation, a sequence or a number of firings; `nil` for another value.
    static func counter(_ json: JSON?) -> Int? {
        json?.integerValue.flatMap { (0..<counterLimit).contains($0) ? Int($0) : nil }
    }
}
