// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// The field `value` of an event, and of a Publish.
extension PublishedValue {
    /// The deepest nesting of arrays and objects in a value, including the value itself.
    ///
    /// In a reply, four levels surround a value, and every reader limits the depth of a message.
    package static let depthLimit = Limits.jsonDepth - 4

    /// Creates a state from an object, or a withdrawn one from null; `nil` for other types, and for deeper nesting.
    package init?(_ name: Aspect, validating json: JSON) {
        guard let value = json.objectValue else {
            guard json.isNull else { return nil }
            self.init(name, bytes: nil)
            return
        }
        guard !value.isDeeper(than: Self.depthLimit) else { return nil }
        self.init(name, value)
    }

    /// The bytes of a call beside its value: the longest name, and the names of the method and the fields.
    package static let callMargin = 512
    /// The length in bytes of the longest value that fits in a call.
    package static let sizeLimit = Limits.frame - callMargin

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
