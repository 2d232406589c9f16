// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import Varlink

/// Some fields of a reading's structure; the other fields keep their current values.
package struct PartialReading: Sendable {
    /// The reason why the fields do not make a reading.
    package enum Invalid: Error {
        /// The structure does not have a field; it has the known ones.
        case unknownField(String, known: [String])
        /// A field, given with its path, does not allow the value.
        case invalidValue(field: String)
    }

    private let fields: JSONObject

    /// Creates the fields from a JSON object; `nil` for another JSON value.
    package init?(parsing text: String) throws(JSONError) {
        guard let fields = try JSON.parse(Array(text.utf8)).objectValue else { return nil }
        self.fields = fields
    }

    /// Creates the field of a state: of a battery, or of proximity.
    package init(state: String) {
        fields = ["state": .string(state)]
    }

    /// Creates the fields of an orientation; the last upright pose changes only with another upright pose.
    package init(pose: Orientation.Pose) {
        let word = JSON.string(pose.rawValue)
        fields = pose.isPlanar ? ["pose": word, "planar": word] : ["pose": word]
    }

    /// Creates the fields of a locale, which are all of them.
    package init(_ locale: LocaleSettings) {
        fields = ReadingCoding.encode(.locale(locale)).objectValue ?? [:]
    }

    /// Returns the reading with these fields and the current values of the others.
    package func completed(with now: Event) throws(Invalid) -> Reading {
        var all = ReadingCoding.encode(now.reading, settings: now.settings).objectValue ?? [:]
        for member in fields.members {
            guard all[member.name] != nil else {
                throw .unknownField(member.name, known: all.members.map(\.name))
            }
            all[member.name] = member.value
        }
        do throws(CallError) {
            return try ReadingCoding.decode(.object(all), of: now.aspect)
        } catch {
            throw .invalidValue(field: error.parameters["parameter"]?.stringValue ?? now.aspect.rawValue)
        }
    }
}
