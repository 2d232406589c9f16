// SPDX-License-Identifier: Apache-2.0

/// The samples of a number during the last minutes, at most one per spacing.
package struct RecentSamples: Sendable {
    private let spacing: Duration
    private let memory: Duration
    private var samples: [(value: Double, time: Instant)] = []

    /// Creates an empty list; samples within the spacing after another are not kept, which limits their number.
    package init(spacing: Duration, memory: Duration) {
        self.spacing = spacing
        self.memory = memory
    }

    /// The values, oldest first.
    package var values: [Double] { samples.map(\.value) }

    package mutating func expire(at now: Instant) {
        samples.removeAll { now - $0.time > memory }
    }

    /// Adds a sample, unless the last sample is too recent.
    package mutating func add(_ value: Double, at now: Instant) {
        expire(at: now)
        if let last = samples.last, now < last.time + spacing { return }
        samples.append((value, now))
    }

    package func newest(olderThan age: Duration, at now: Instant) -> (value: Double, time: Instant)? {
        samples.last { now >= $0.time + age }
    }

    package mutating func removeAll() {
        samples = []
    }
}

/// The mean power of the last minutes, in one direction.
package struct MeanPower: Sendable {
    /// The period of the mean: long enough to ignore short loads, and short enough to follow a change of use.
    private static let memory: Duration = .seconds(180)
    /// The time between the samples: equal spacing gives each the same weight, however often the power is read.
    private static let spacing: Duration = .seconds(5)

    private var powers = RecentSamples(spacing: spacing, memory: memory)
    private var isCharging = false

    package init() {}

    /// Takes a power in watts, and returns the mean; an unknown power, or the other direction, ends the mean.
    package mutating func take(_ power: Double?, at now: Instant) -> Double? {
        guard let power, power != 0 else {
            powers.removeAll()
            return power
        }
        if isCharging != (power > 0) { powers.removeAll() }
        isCharging = power > 0
        powers.add(power, at: now)
        let values = powers.values
        return values.reduce(0, +) / Double(values.count)
    }
}
