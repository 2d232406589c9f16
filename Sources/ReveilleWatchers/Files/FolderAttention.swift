// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// Decides whether the folder of a program is worth watching, since any change in it wakes the bus.
///
/// A folder has credit, which bursts of changes consume and time restores: a burst without a change of settings costs
/// four times as much as one with a change. Without credit, the folder is left for a pause, and then watched again until
/// the next burst. Each pause is twice as long as the one before, until the folder has been quiet.
struct FolderAttention: Sendable, Hashable {
    /// Changes within this time of the first are one burst; a dragged slider writes ten times a second.
    private static let burst = FileSettling.patience
    /// The price of a burst, and the refund for a change of settings.
    private static let (price, refund) = (12, 9)
    /// The greatest credit: ten bursts of a cache, or forty changes of settings.
    private static let limit = 120
    /// The time for one more unit of credit: a burst in four minutes is not worth leaving for.
    private static let unit: Duration = .seconds(20)
    /// The length of the pauses: three programs that write all the time wake the bus 13 times in eight minutes.
    private static let (shortest, longest): (Duration, Duration) = (.seconds(480), .seconds(1_920))
    /// Pauses end at multiples of this time, so that one wake-up serves all folders.
    private static let grid: Int64 = 60_000_000

    private var credit = limit
    /// The time up to which credit was restored.
    private var restoredAt: Instant
    private var burstBegan: Instant?
    private var isRefundable = false
    private var pause = shortest
    /// When to watch the folder again; `nil` while it is watched.
    private(set) var leftUntil: Instant?

    init(at now: Instant) { restoredAt = now }

    /// Notes a change in the watched folder, and returns whether to leave it now.
    mutating func notice(at now: Instant) -> Bool {
        guard leftUntil == nil else { return false }
        if let burstBegan, now - burstBegan < Self.burst { return false }
        restore(at: now)
        burstBegan = now
        isRefundable = true
        credit -= Self.price
        guard credit < 0 else { return false }
        let end = (now + pause).microseconds
        leftUntil = Instant(microseconds: (end + Self.grid - 1) / Self.grid * Self.grid)
        pause = min(pause * 2, Self.longest)
        return true
    }

    private mutating func restore(at now: Instant) {
        let units = Int((now - restoredAt) / Self.unit)
        restoredAt = restoredAt + Self.unit * units
        guard units >= Self.limit - credit else { return credit += units }
        credit = Self.limit
        pause = Self.shortest
    }

    /// Notes that the last burst changed settings.
    mutating func reward() {
        if isRefundable { credit += Self.refund }
        isRefundable = false
    }

    /// Watches the folder again.
    mutating func resume(at now: Instant) {
        (leftUntil, restoredAt, credit) = (nil, now, 0)
    }
}
