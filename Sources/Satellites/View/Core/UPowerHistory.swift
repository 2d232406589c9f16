// SPDX-License-Identifier: Apache-2.0

/// The history of a charge that UPower keeps in `/var/lib/upower/history-charge-*.dat`.
///
/// Pure.
package struct UPowerHistory: Sendable, Hashable {
    package var samples: [BatterySample] = []
    /// How many seconds ahead of this clock the clock of a sample may be.
    ///
    /// A later sample would be the end of the chart until its time comes.
    package static let clockTolerance: Int64 = 300

    /// The number of lines that are not samples.
    package var ignored = 0
    package var firstIgnored: String?

    /// Reads the lines `SECONDS<tab>PERCENT<tab>STATE` of a file, at a time in seconds since 1970.
    ///
    /// UPower writes a line with the state `unknown` and a level of 0 when it starts. The next line starts a recording.
    package init(_ bytes: [UInt8], at now: Int64) {
        var isStart = true
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if line.isEmpty { continue }
            guard var sample = Self.sample(line) else {
                ignore(index, "must be SECONDS, PERCENT and STATE, separated by tabs")
                continue
            }
            guard sample.time <= now + Self.clockTolerance else {
                ignore(index, "is in the future: \(sample.time) s since 1970 is \(sample.time - now) s from now")
                continue
            }
            if sample.state == "unknown" {
                isStart = true
                continue
            }
            sample.isStart = isStart
            isStart = false
            samples.append(sample)
        }
    }

    private mutating func ignore(_ index: Int, _ reason: String) {
        ignored += 1
        firstIgnored = firstIgnored ?? "line \(index + 1) \(reason)"
    }

    private static let states = [
        "charging": "charging", "discharging": "unplugged", "empty": "unplugged", "fully-charged": "full",
        "pending-charge": "charging", "pending-discharge": "unplugged", "unknown": "unknown",
    ]

    private static func sample(_ line: ArraySlice<UInt8>) -> BatterySample? {
        let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard fields.count == 3, let time = Int64(fields[0]), time > 0, let percent = Double(fields[1]),
            (0...100).contains(percent), let state = states[fields[2]]
        else { return nil }
        return BatterySample(time: time, level: percent / 100, state: state)
    }
}
