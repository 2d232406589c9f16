// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Durations in microseconds.
struct Samples {
    private var values: [Double] = []

    mutating func add(_ microseconds: Double) { values.append(microseconds) }

    /// Returns the value that the given fraction of the samples does not exceed.
    func percentile(_ part: Double) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
    }

    var summary: String {
        "median \(percentile(0.5).rounded(to: 0)), 99% \(percentile(0.99).rounded(to: 0)) microseconds"
    }
}

/// The monotonic clock, which all processes share.
enum MonotonicClock {
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Returns the seconds that a closure takes.
    static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = now
        try body()
        return Double(now - start) / 1e9
    }

    /// Calls a closure every 10 ms, regardless of how long earlier calls take.
    ///
    /// - Parameters:
    ///   - isWanted: Whether to continue after a number of calls.
    ///   - body: Receives the time from which to measure. If the previous call delays a call, its wait counts from its
    ///     due time.
    static func periodically(while isWanted: (Int) -> Bool, _ body: (_ due: Int64) throws -> Void) rethrows {
        let period: Int64 = 10_000_000
        let start = now
        var number = 0
        while isWanted(number) {
            let due = start + Int64(number) * period
            let early = due - now
            if early > 0 { poll(nil, 0, Int32(early / 1_000_000 + 1)) }
            try body(early > 0 ? now : due)
            number += 1
        }
    }
}

/// Prints a figure with its name, in two columns.
func report(_ name: String, _ value: String) {
    print("\(name):" + String(repeating: " ", count: max(1, 40 - name.utf8.count)) + value)
}

extension Double {
    /// Returns the number with a fixed number of decimal places.
    func rounded(to places: Int) -> String {
        var buffer = [CChar](repeating: 0, count: 64)
        withVaList([self]) { _ = vsnprintf(&buffer, buffer.count, "%.\(places)f", $0) }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
