// SPDX-License-Identifier: Apache-2.0

/// Turns announcements and the time asleep into the machine's sleep.
///
/// Announcements can be absent, repeated, late, or without a sleep. The clocks are right in any case: the time since boot
/// less the time that runs only while the machine does is the time asleep.
package struct SleepRule: Sendable {
    /// The shortest sleep in microseconds: an interruption between the readings of two clocks is shorter.
    private static let shortest: UInt64 = 10_000
    package private(set) var sleep: Sleep
    /// The time asleep that belongs to sleeps before the next.
    package private(set) var counted: UInt64

    /// Creates a rule that continues after a saved state, which knew of an amount of time asleep.
    ///
    /// If this is unknown, the time asleep until now belongs to earlier sleeps.
    package init(after last: Sleep?, counted: UInt64? = nil, timeAsleep: UInt64) {
        sleep = last ?? Sleep(state: .awake)
        self.counted = min(counted ?? timeAsleep, timeAsleep)
        // Without a sleep in between, the machine may still prepare.
        if timeAsleep - self.counted >= Self.shortest { note(isPreparing: false, timeAsleep: timeAsleep) }
    }

    /// Notes whether the machine prepares to sleep, announced or asked for; the time is in microseconds since boot.
    ///
    /// If this is unknown, a machine that prepared still does, unless it has slept.
    package mutating func note(isPreparing: Bool?, timeAsleep: UInt64) {
        let hasSlept = timeAsleep > counted && timeAsleep - counted >= Self.shortest
        let isPreparing = isPreparing ?? (sleep.state == .preparing && !hasSlept)
        sleep.state = isPreparing ? .preparing : .awake
        guard !isPreparing, hasSlept else { return }
        sleep.sleptFor = .microseconds(Int64(clamping: timeAsleep - counted))
        counted = timeAsleep
    }
}
