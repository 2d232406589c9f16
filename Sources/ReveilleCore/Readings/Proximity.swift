// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Whether something is close to the front of the device.
public enum Proximity: String, Sendable, CaseIterable, Codable, CustomStringConvertible {
    /// Something is close, such as an ear or a pocket.
    case near
    /// Nothing is close.
    case far
    /// The device has no sensor, or it has not been read yet.
    case unknown

    /// The name on the wire.
    public var description: String { rawValue }
}
