// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The state of a subscription itself, and so of the program behind it.
public enum Lifecycle: String, Sendable, CaseIterable, Codable, CustomStringConvertible {
    /// The program is in the foreground.
    case active
    /// The program is in the foreground, but something else receives the user's input.
    case inactive
    /// The program is in the background, and runs.
    case background
    /// The program is in the background, and its processes are frozen or about to be.
    case suspended
    /// The program is about to receive SIGTERM.
    case terminating

    /// The name on the wire.
    public var description: String { rawValue }
}
