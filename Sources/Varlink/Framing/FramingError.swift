// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A message exceeds the maximum length of the receiver.
public struct FramingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The maximum length of a message in bytes, without its NUL.
    public let maximumLength: Int

    /// Creates an error.
    ///
    /// - Parameter maximumLength: The maximum length of a message in bytes, without its NUL.
    public init(maximumLength: Int) {
        self.maximumLength = maximumLength
    }

    /// A description of the error.
    public var description: String { "message longer than \(maximumLength) bytes" }
}
