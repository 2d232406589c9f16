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
