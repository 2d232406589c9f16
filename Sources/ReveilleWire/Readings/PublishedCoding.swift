// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import Varlink

/// The field `value` of an event, and of a Publish.
extension PublishedValue {
    /// The name of the field.
    static var field: String { "value" }

    /// Creates a state from a value, of which equal ones are the same state.
    package init(_ name: Aspect, _ value: JSONObject?) {
        self.init(name, bytes: value.map { JSON.object($0).canonical.bytes })
    }

    /// The value as JSON; null if it was withdrawn.
    package var structure: JSON {
        guard let bytes else { return .null }
        // The bytes were written from a JSON value.
        return (try? JSON.parse(bytes)) ?? .null
    }
}
