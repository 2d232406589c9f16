// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The delay of the machine's sleep until awake programs have read that it is about to sleep, and all tasks have ended.
struct SleepDelay {
    /// How long the announcements are followed after the last task, for programs that begin another.
    static let linger: UInt64 = 5_000_000

    /// Whether the sleep is to be delayed when it is announced: there are tasks.
    private(set) var isWanted = false
    /// The end of the time after the last task in which announcements are followed.
    private var end: UInt64?
    private var isAnnounced = false
    private(set) var preparation: SleepPreparation?
    /// The subscribers that were awake at the announcement and have not read it, by the numbers of their connections.
    private(set) var audience: Set<UInt64> = []

    /// Whether announcements are followed: while programs have tasks, and a while longer.
    var isFollowing: Bool { isWanted || end != nil }

    /// Takes an announcement, before the watcher reports it: a subscriber that has something unread now is not waited for.
    ///
    /// Returns whether it begins a sleep; of two announcements, the second begins none, since the first is unread then.
    mutating func announce(longestDelay: UInt64?) -> Bool {
        guard longestDelay == nil || !isAnnounced else { return false }
        isAnnounced = longestDelay != nil
        preparation = nil
        audience = []
        return isAnnounced
    }

    /// Delays an announced sleep until an audience has read the announcement.
    mutating func delay(atMost longest: UInt64, for audience: Set<UInt64>, at now: UInt64) {
        self.audience = audience
        preparation = SleepPreparation(at: now, longest: longest, hasAudience: !audience.isEmpty)
    }

    /// Returns the preparation that is over: the machine may sleep.
    mutating func advance(to now: UInt64, hasTasks: Bool, isWaitedFor: (UInt64) -> Bool) -> SleepPreparation? {
        if isWanted, !hasTasks { end = now + Self.linger } else if hasTasks || end ?? .max <= now { end = nil }
        isWanted = hasTasks
        guard var preparation else { return nil }
        audience = audience.filter(isWaitedFor)
        let isOver = preparation.isOver(at: now, isRead: audience.isEmpty, hasTasks: hasTasks)
        self.preparation = isOver ? nil : preparation
        return isOver ? preparation : nil
    }

    mutating func endAudience() { audience = [] }

    func next(after now: UInt64) -> UInt64? { [end, preparation?.next(after: now)].compactMap(\.self).min() }
}
