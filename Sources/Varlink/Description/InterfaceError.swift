// SPDX-License-Identifier: Apache-2.0

/// A syntax error in an interface definition.
public struct InterfaceError: Error, Sendable, Hashable {
    /// The line, starting at 1.
    public let line: Int
    /// The column in characters, starting at 1.
    public let column: Int
    /// A description of the error.
    public let reason: String
}

extension InterfaceError: CustomStringConvertible {
    /// The position and the reason, on one line.
    public var description: String { "\(line):\(column): \(reason)" }
}
