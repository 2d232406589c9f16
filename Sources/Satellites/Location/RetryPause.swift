// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The growing pauses between attempts to reach gpsd.
struct RetryPause {
    /// gpsd is restarted within seconds, and a local attempt costs little.
    private static let shortest: Duration = .seconds(1)
    private static let longest: Duration = .seconds(60)

    private var next = Self.shortest

    /// Returns the pause after a connection that lasted for a time, which is short again after a long connection.
    mutating func after(_ connection: Duration) -> Duration {
        if connection >= Self.longest { next = Self.shortest }
        defer { next = min(next * 2, Self.longest) }
        return next
    }
}
