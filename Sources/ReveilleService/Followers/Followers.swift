// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The callers that follow the list of subscriptions: calls of ListSubscriptions with `more`.
struct Followers {
    /// The position in the log up to which each follower was sent changes, by the number of its connection.
    private var positions: [UInt64: Int] = [:]
    /// Empty without followers.
    private var log = SubscriptionLog()

    var isEmpty: Bool { positions.isEmpty }

    mutating func begin(_ number: UInt64) { positions[number] = log.position }

    mutating func end(_ number: UInt64) {
        if positions.removeValue(forKey: number) != nil, positions.isEmpty { log = SubscriptionLog() }
    }

    /// Notes a change of a subscription, and returns whether anybody follows it.
    mutating func note(_ change: (inout SubscriptionLog) -> Void) -> Bool {
        guard !positions.isEmpty else { return false }
        change(&log)
        return true
    }

    /// Returns the followers that have not seen all changes, oldest first, and forgets the changes that all have seen.
    mutating func takeOutdated() -> [UInt64] {
        let outdated = positions.filter { $0.value < log.position }.keys.sorted()
        log.trim(positions.values)
        return outdated
    }

    /// Returns the changes that a follower has not seen, which it is about to be sent.
    mutating func takeChanges(for number: UInt64) -> (current: [SubscriptionID], ended: [SubscriptionID]) {
        guard let seen = positions.updateValue(log.position, forKey: number) else { return ([], []) }
        return log.changes(since: seen)
    }
}
