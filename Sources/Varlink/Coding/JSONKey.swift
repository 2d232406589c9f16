// SPDX-License-Identifier: Apache-2.0

/// A key that no type declares: the index of an element, the superclass, or a member of an untyped object.
struct JSONKey: CodingKey {
    static let superclass = JSONKey(stringValue: "super")

    let stringValue: String
    /// The index of an element, or `nil` for a member.
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}
