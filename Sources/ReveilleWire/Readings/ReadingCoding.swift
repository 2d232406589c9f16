// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// Readings as the structures of the interface.
package enum ReadingCoding {
    /// Encodes a reading; of the settings, only the given keys are listed, or all for `nil`.
    package static func encode(_ reading: Reading, settings: [SettingsChange]? = nil) -> JSON {
        var fields: JSONObject = [:]
        write(reading, settings: settings ?? reading.settings, to: &fields)
        return fields.members.first?.value ?? .null
    }

    static func write(
        _ reading: Reading, settings: [SettingsChange], to fields: inout (some FieldWriter & ~Copyable & ~Escapable)
    ) {
        if case .published(let value) = reading { return fields.add(.value, value) }
        reading.code(settings: settings, with: &fields)
    }

    /// Decodes a reading; unknown words are errors unless they are collected, and then read as `unknown`.
    package static func decode(
        _ structure: JSON, of aspect: Aspect, noting unknownWords: UnknownWords? = nil
    ) throws(CallError) -> Reading {
        guard let builtIn = aspect.builtIn else {
            guard structure.isNull || structure.objectValue != nil else {
                throw .invalidParameter("\(FieldName.value)")
            }
            return .published(PublishedValue(aspect, structure.objectValue))
        }
        // A value that is not an object has no fields.
        var fields = Fields(structure.objectValue ?? [:], path: builtIn.rawValue, noting: unknownWords)
        return try fields.record(of: builtIn)
    }
}

/// The field `value` of an event, and of a Publish.
extension PublishedValue {
    /// The deepest nesting of arrays and objects in a value, including the value itself.
    ///
    /// In the deepest replies, those of GetLog and of the schedule's List, five levels surround a value: the message, its
    /// parameters, the list, its element, and the event or the entry. Every reader limits the depth of a message.
    package static let depthLimit = Limits.jsonDepth - 5

    /// The rule for a value, in words that follow its field.
    static let rule = "must be an object of at most \(depthLimit) levels, or null"

    /// Creates a state from an object, or a withdrawn one from null; `nil` for other types, and for deeper nesting.
    package init?(_ name: Aspect, validating json: JSON) {
        if json.objectValue?.isDeeper(than: Self.depthLimit) == true { return nil }
        self.init(name, restoring: json)
    }

    /// Creates a state as a bus of any version has saved it; `nil` for what is neither an object nor null.
    package init?(_ name: Aspect, restoring json: JSON) {
        let value = json.objectValue
        guard value != nil || json.isNull else { return nil }
        self.init(name, value)
    }

    /// Whether the value is nested deeper than a bus of this version accepts.
    package var isTooDeep: Bool { structure.objectValue?.isDeeper(than: Self.depthLimit) == true }

    /// The bytes of a call beside its value: the longest name, and the names of the method and the fields.
    package static let callMargin = 512
    /// The length in bytes of the longest value that fits in a call.
    package static let sizeLimit = Limits.frame - callMargin

    /// Returns why no bus takes a value, in words that follow "the value"; `nil` if a bus may take it.
    package static func refusal(of value: JSONObject) -> String? {
        if value.isDeeper(than: depthLimit) { return "is nested deeper than \(depthLimit) levels" }
        let size = JSON.object(value.canonical).bytes.count
        return size > sizeLimit ? "has \(size) bytes without spaces, the maximum is \(sizeLimit)" : nil
    }

    /// Creates a state from a value; equal values make equal states.
    package init(_ name: Aspect, _ value: JSONObject?) {
        self.init(name, bytes: value.map { JSON.object($0.canonical).bytes })
    }

    /// The value as JSON; null if it was withdrawn.
    package var structure: JSON {
        guard let bytes else { return .null }
        // The bytes were written from a JSON value.
        return (try? JSON.parse(bytes)) ?? .null
    }
}

/// Some fields of a reading's structure; the other fields keep their current values.
package struct PartialReading: Sendable {
    package enum Invalid: Error {
        /// The structure does not have a field; it has the known ones.
        case unknownField(String, known: [String])
        /// A field, given with its path below the aspect, does not allow the value.
        case invalidValue(field: String)
    }

    private let fields: JSONObject

    /// Creates the fields from a JSON object; `nil` for another JSON value.
    package init?(parsing text: String) throws(JSONError) {
        guard let fields = try JSON.parse(Array(text.utf8)).objectValue else { return nil }
        self.fields = fields
    }

    package func completed(with now: Event) throws(Invalid) -> Reading {
        var all = ReadingCoding.encode(now.reading, settings: now.settings).objectValue ?? [:]
        // A field that was added later is absent if it has no value.
        let known = now.aspect.builtIn?.fields.filter { $0.path.count == 1 }.map(\.name) ?? all.members.map(\.name)
        for member in fields.members {
            guard known.contains(member.name) else { throw .unknownField(member.name, known: known) }
            all[member.name] = member.value
        }
        do throws(CallError) {
            return try ReadingCoding.decode(.object(all), of: now.aspect)
        } catch {
            let path = error.parameters["parameter"]?.stringValue ?? ""
            throw .invalidValue(field: String(path.dropFirst("\(now.aspect).".count)))
        }
    }
}
