// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A message that is longer than the receiver allows.
public struct FramingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The longest message allowed, in bytes and without its NUL.
    public let maximumLength: Int

    /// Makes an error.
    ///
    /// - Parameter maximumLength: The longest message allowed, in bytes and without its NUL.
    public init(maximumLength: Int) {
        self.maximumLength = maximumLength
    }

    /// What is wrong, in words.
    public var description: String { "message longer than \(maximumLength) bytes" }
}
