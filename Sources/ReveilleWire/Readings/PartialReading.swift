// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

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
            let path = error.parameters["parameter"]?.stringValue ?? ""
            throw .invalidValue(field: String(path.dropFirst("\(now.aspect).".count)))
        }
    }
}
