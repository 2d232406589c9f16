// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The attributes that a watcher reads, over all of its readings: the last value of each, and which of them is slow.
///
/// A driver that fails to read an attribute has no value now, which says nothing about the device. So the last value stays
/// until a poll, at which the attribute fails again. An attribute that is gone is missing at once.
package final class AttributeReads: Sendable {
    /// The longest time in microseconds that a reading may block the loop: no caller notices 20 milliseconds, and
    /// finding the hundred devices of a laptop takes less.
    private static let limit: Int64 = 20_000

    /// The readings for which this thread reads now.
    @TaskLocal private static var current: AttributeReads?

    private struct State {
        var kept: [String: (value: any ReadValue, hasFailed: Bool)] = [:]
        var isPoll = false
        var total: Int64 = 0
        var slowest: SlowRead?
    }

    private let state = Lock(State())

    package init() {}

    /// Whether the last value of an attribute stands in for one that could not be read.
    package var areIncomplete: Bool { state.withLock { $0.kept.values.contains(where: \.hasFailed) } }

    /// Reads attributes, and returns the slowest one if together they blocked this thread for too long.
    ///
    /// At a poll, an attribute that has failed before, and still fails, loses its value.
    package func perform<Value>(isPoll: Bool, _ read: () -> Value) -> (Value, SlowRead?) {
        state.withLock { ($0.isPoll, $0.total, $0.slowest) = (isPoll, 0, nil) }
        let time = BlockedTime()
        let value = Self.$current.withValue(self, operation: read)
        // The time of the reads includes waits for a processor, and the blocked time includes other calls.
        let isSlow = time.microseconds() >= Self.limit
        return (value, state.withLock { isSlow && $0.total >= Self.limit ? $0.slowest : nil })
    }

    /// Forgets the values of devices that have gone.
    package func forgetMissing() {
        state.withLock { state in
            if !state.kept.isEmpty { state.kept = state.kept.filter { access($0.key, F_OK) == 0 } }
        }
    }

    /// Reads the file at a path as part of the current readings, if there are any.
    package static func read<Value: ReadValue>(_ path: String, _ read: () -> Value) -> Value {
        guard let current else { return read() }
        let start = Clocks.monotonic()
        let value = read()
        return current.take(value, of: path, microseconds: Clocks.monotonic() - start)
    }

    private func take<Value: ReadValue>(_ value: Value, of path: String, microseconds: Int64) -> Value {
        // A driver may also return ENODEV while the device is there.
        let hasFailed = value.hasFailed && access(path, F_OK) == 0
        return state.withLock { state in
            state.total += microseconds
            if microseconds > state.slowest?.microseconds ?? 0 {
                state.slowest = SlowRead(path: path, microseconds: microseconds)
            }
            let last = state.kept[path]
            if !hasFailed {
                state.kept[path] = value.hasFailed ? nil : (value, false)
                return value
            }
            guard let last, let kept = last.value as? Value, !(last.hasFailed && state.isPoll) else {
                state.kept[path] = nil
                return value
            }
            state.kept[path] = (kept, true)
            return kept
        }
    }
}

/// A read that took long.
package struct SlowRead: Sendable, Hashable, CustomStringConvertible {
    package let path: String
    package let microseconds: Int64

    package var description: String { "slow: \(path) took \(microseconds / 1_000) ms" }
}

/// The result of reading a file of a device.
package protocol ReadValue: Sendable {
    /// Whether the file could not be read, or is missing.
    var hasFailed: Bool { get }
}

extension SysfsAttribute: ReadValue {
    package var hasFailed: Bool { text == nil }
}

extension FileContents: ReadValue {
    package var hasFailed: Bool {
        switch self {
        case .missing, .unreadable: true
        case .bytes, .tooLarge, .notAFile: false
        }
    }
}
