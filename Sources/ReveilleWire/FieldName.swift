// SPDX-License-Identifier: Apache-2.0

import Varlink

@usableFromInline
package struct FieldName: Sendable, ExpressibleByStringLiteral {
    let name: StaticString
    /// The name, for comparisons.
    let shortName: ShortText
    /// The text of the field before its value, such as `,"state":`.
    let text: ShortText

    /// Creates a name without characters that JSON escapes.
    @usableFromInline
    @inline(__always)
    package init(stringLiteral name: StaticString) {
        self.name = name
        shortName = ShortText(name)
        text = shortName.member
    }
}

extension FieldName: CustomStringConvertible {
    @usableFromInline package var description: String { "\(name)" }
}

/// The fields of each event: constants, which its readers need not create again.
extension FieldName {
    static let aspect: Self = "aspect"
    static let changedAt: Self = "changedAt"
    static let changes: Self = "changes"
    static let dropped: Self = "dropped"
    static let firstChangedAt: Self = "firstChangedAt"
    static let generation: Self = "generation"
    static let netChange: Self = "netChange"
    static let sequence: Self = "sequence"
    static let value: Self = "value"
}
