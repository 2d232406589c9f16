// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Why a text defines no interface, and where.
public struct InterfaceError: Error, Sendable, Hashable {
    /// The line, counted from 1.
    public let line: Int
    /// The character in the line, counted from 1.
    public let column: Int
    /// What is wrong there, in words.
    public let reason: String
}

extension InterfaceError: CustomStringConvertible {
    /// The place and what is wrong there, on one line.
    public var description: String { "\(line):\(column): \(reason)" }
}
