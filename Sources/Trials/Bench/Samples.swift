// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// Durations in microseconds.
struct Samples {
    private var values: [Int64] = []

    mutating func add(_ microseconds: Int64) { values.append(microseconds) }

    /// Returns the value that the given fraction of the samples does not exceed.
    func percentile(_ part: Double) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))])
    }

    var summary: String {
        "median \(percentile(0.5).rounded(to: 0)), 99% \(percentile(0.99).rounded(to: 0)) microseconds"
    }
}

// All processes share the clock since boot.
extension Clocks {
    /// Returns the seconds that a closure takes.
    static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = boot()
        try body()
        return Double(boot() - start) / 1e6
    }

    /// Calls a closure every 10 ms, regardless of how long earlier calls take, while `isWanted` holds for the number of
    /// calls.
    ///
    /// The closure receives the time from which to measure. If the previous call delays a call, its wait counts from its
    /// due time.
    static func periodically(while isWanted: (Int) -> Bool, _ body: (_ due: Int64) throws -> Void) rethrows {
        let period: Int64 = 10_000
        let start = boot()
        var number = 0
        while isWanted(number) {
            let due = start + Int64(number) * period
            let early = due - boot()
            if early > 0 { poll(nil, 0, Int32(early / 1_000 + 1)) }
            try body(early > 0 ? boot() : due)
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
