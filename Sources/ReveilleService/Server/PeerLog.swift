// SPDX-License-Identifier: Apache-2.0

import Logging

/// The log, and the lines that the peers of each user may cause in it.
///
/// A peer can connect and send garbage ten thousand times a second. Omitted lines are counted, and the next line states
/// the count.
struct PeerLog {
    /// The largest number of users whose omitted lines are remembered.
    private static let users = 64

    let logger: Logger
    private let shares = UserShares.ofLog()
    private var omitted: [UInt32: Int] = [:]

    init(_ logger: Logger) { self.logger = logger }

    /// Requests one line, and returns the number of lines omitted since the last; `nil` to omit this line too.
    mutating func admit(_ user: UInt32, at now: UInt64) -> Int? {
        guard shares.isSpent(user, at: now) else {
            shares.charge(1, to: user, at: now)
            return omitted.removeValue(forKey: user) ?? 0
        }
        if omitted.count >= Self.users, omitted[user] == nil { omitted = [:] }
        omitted[user, default: 0] += 1
        return nil
    }
}
