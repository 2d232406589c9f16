// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Keeps a battery's level from being told too finely or too often; everything else passes at once.
///
/// A level that moved waits until the interval since the last reading told is over; the last value is
/// never lost, it comes at the end of the interval.
package struct LevelFilter: Sendable, Equatable {
    private let step: Double
    private let interval: Duration
    private var told: Battery?
    /// When ``told`` was told; `nil` while it is what was there from the start.
    private var toldAt: Instant?
    private var waiting: Battery?

    /// Makes a filter that has told nothing.
    ///
    /// - Parameters:
    ///   - step: The smallest change of the level that is told, 0 to 1.
    ///   - interval: The least time between two readings that differ in the level alone; 0 for no limit.
    package init(step: Double, interval: Duration) {
        self.step = step
        self.interval = interval
    }

    /// When ``expire(at:)`` has something to tell; `nil` while nothing waits.
    package var deadline: Instant? {
        waiting == nil ? nil : toldAt.map { $0 + interval }
    }

    /// Takes a reading.
    ///
    /// - Parameters:
    ///   - reading: What the battery reads.
    ///   - now: When it was read.
    /// - Returns: What to tell now; `nil` for nothing, now or at all.
    package mutating func offer(_ reading: Battery, at now: Instant) -> Battery? {
        guard let told else {
            self.told = reading
            return reading
        }
        guard told.exceptLevels == reading.exceptLevels, (told.level == nil) == (reading.level == nil) else {
            return tell(reading, at: now)
        }
        // Levels are fractions of decimal numbers; a step of one percent must not fail by a rounding error.
        guard let old = told.level, let new = reading.level, abs(new - old) >= step - 1e-9, new != old else {
            waiting = nil
            return nil
        }
        waiting = reading
        return expire(at: now)
    }

    /// Tells what waits, if its time has come.
    package mutating func expire(at now: Instant) -> Battery? {
        guard let waiting else { return nil }
        if let toldAt, now < toldAt + interval { return nil }
        return tell(waiting, at: now)
    }

    /// Tells a reading whatever the step and the interval: somebody asked for it.
    package mutating func tell(_ reading: Battery, at now: Instant) -> Battery {
        told = reading
        toldAt = now
        waiting = nil
        return reading
    }
}

extension Battery {
    /// The reading with every level left out.
    fileprivate var exceptLevels: Battery {
        var reading = self
        reading.level = nil
        for index in reading.packs.indices { reading.packs[index].level = nil }
        return reading
    }
}
