// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Whether something is close to the front of the device.
public enum Proximity: String, Sendable, CaseIterable, Codable, CustomStringConvertible {
    /// Something is close: an ear, a pocket.
    case near
    /// Nothing is close.
    case far
    /// There is no sensor, or it has not been read yet.
    case unknown

    /// The word that it has on the wire.
    public var description: String { rawValue }

    /// The structure of the interface.
    struct Structure: Codable {
        let state: Proximity
    }
}
