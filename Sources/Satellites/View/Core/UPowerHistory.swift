// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The history of a charge that UPower keeps in `/var/lib/upower/history-charge-*.dat`.
///
/// Pure.
package struct UPowerHistory: Sendable, Hashable {
    /// The samples, in the order of the file.
    package var samples: [BatterySample] = []
    /// The number of lines that are not samples.
    package var ignored = 0
    /// The number and the reason of the first of them.
    package var firstIgnored: String?

    /// Reads the lines `SECONDS<tab>PERCENT<tab>STATE` of a file.
    ///
    /// UPower writes a line with the state `unknown` and a level of 0 when it starts. What follows is the start of a
    /// recording.
    package init(_ bytes: [UInt8]) {
        var isStart = true
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if line.isEmpty { continue }
            guard var sample = Self.sample(line) else {
                ignored += 1
                if firstIgnored == nil {
                    firstIgnored = "line \(index + 1) must be SECONDS, PERCENT and STATE, separated by tabs"
                }
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

    /// The words of UPower, and those of the bus.
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
