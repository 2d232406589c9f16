// SPDX-License-Identifier: Apache-2.0

/// A call with further replies.
enum LastingMethod {
    /// BeginTask, until the task ends.
    case task
    /// ListSubscriptions with `more`, until the connection closes.
    case subscriptions
    /// ObserveDemand, until the connection closes.
    case demand
}

/// Which calls with further replies have something to reply, by the numbers of their connections.
///
/// After a change, the next reply is made once the peer has read the last one, with everything that has changed until
/// then, at the cost of the peer's user.
struct LastingCalls {
    private var outdated: Set<UInt64> = []
    /// The outdated calls that are replied to in this turn, if their peers have read the last reply.
    private var due: [UInt64] = []

    var isEmpty: Bool { outdated.isEmpty }

    func isOutdated(_ number: UInt64) -> Bool { outdated.contains(number) }

    /// Notes that a call has something to reply, and returns whether it had nothing before; `isDue` if this turn replies.
    mutating func outdate(_ number: UInt64, isDue: Bool) -> Bool {
        guard outdated.insert(number).inserted else { return false }
        if isDue { due.append(number) }
        return true
    }

    /// Returns the connections to reply to in this turn, oldest first.
    mutating func takeDue() -> [UInt64] {
        defer { due = [] }
        return due.sorted()
    }

    /// Notes that a call is replied to or has ended, and returns whether it had something to reply.
    mutating func remove(_ number: UInt64) -> Bool { outdated.remove(number) != nil }
}
