// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// When a connection needs a ping, and when it counts as lost.
///
/// Times are those since boot in microseconds.
package struct KeepAlive: Sendable, Hashable {
    /// What is next.
    package enum Step: Sendable, Hashable {
        /// Nothing until a time, unless a packet is received while a ping is unanswered.
        case wait(until: UInt64)
        /// The broker must be sent something, or asked for something.
        case ping
        /// Nothing was received for a time in microseconds.
        case lost(silence: UInt64)
    }

    /// The time of the last packet that was received.
    package private(set) var receivedAt: UInt64 = 0
    private var sentAt: UInt64 = 0
    private var askedAt: UInt64 = 0
    /// Whether nothing was received since the last ping.
    package private(set) var isAsking = false

    /// Creates the state of a connection that has not begun.
    package init() {}

    /// Notes a received packet.
    package mutating func received(at now: UInt64) {
        receivedAt = now
        isAsking = false
    }

    /// Notes a packet that was sent.
    package mutating func sent(at now: UInt64) {
        sentAt = now
    }

    /// Notes a ping.
    package mutating func asked(at now: UInt64) {
        askedAt = now
        isAsking = true
    }

    /// Returns what is next.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - interval: The keep-alive in seconds, at least 1.
    /// - Returns: The next step.
    package func step(at now: UInt64, interval: UInt16) -> Step {
        let interval = UInt64(interval) * 1_000_000
        // The time after which the broker, too, ends the connection (section 3.1.2.10).
        let end = receivedAt + interval + interval / 2
        guard now < end else { return .lost(silence: now - receivedAt) }
        guard !isAsking else { return .wait(until: end) }
        let due = max(min(sentAt, receivedAt), askedAt) + interval
        return now < due ? .wait(until: due) : .ping
    }
}
