// SPDX-License-Identifier: Apache-2.0

/// The state of a published name.
public struct PublishedValue: Sendable, Hashable {
    /// The name.
    public let name: Aspect
    /// The value as canonical JSON text, so that equal values have equal bytes; `nil` if the value was withdrawn.
    package let bytes: [UInt8]?

    /// Creates a state from a value in its canonical form.
    package init(_ name: Aspect, bytes: [UInt8]?) {
        self.name = name
        self.bytes = bytes
    }

    /// Whether there is no value: the name was withdrawn, or has never been published.
    public var isWithdrawn: Bool { bytes == nil }

    /// The value as JSON text, with the members of each object sorted by name; `nil` if it was withdrawn or has never
    /// been published.
    public var json: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
}

extension PublishedValue: CustomStringConvertible {
    /// The value as JSON text, or `withdrawn`.
    public var description: String { json ?? "withdrawn" }
}
