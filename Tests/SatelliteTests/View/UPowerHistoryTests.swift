// SPDX-License-Identifier: Apache-2.0

import ReveilleViewCore
import Testing

/// UPower's files of past charges.
@Suite struct UPowerHistoryTests {
    private static func read(_ text: String, at now: Int64 = 5_000) -> UPowerHistory {
        UPowerHistory(Array(text.utf8), at: now)
    }

    @Test("each line is a sample, and a start of UPower is a start of a recording") func lines() {
        let history = Self.read(
            "1000\t50.500\tdischarging\n1600\t0.000\tunknown\n1601\t49.000\tcharging\n2200\t100.000\tfully-charged\n")
        #expect(
            history.samples == [
                BatterySample(time: 1_000, level: 0.505, state: "unplugged", isStart: true),
                BatterySample(time: 1_601, level: 0.49, state: "charging", isStart: true),
                BatterySample(time: 2_200, level: 1, state: "full"),
            ])
        #expect(history.ignored == 0 && history.firstIgnored == nil)
    }

    @Test(
        "a line that is not a sample is ignored and counted, and the next one counts",
        arguments: [
            "x", "1000", "1000\t50", "1000\t50\tcharging\t", "1000\t101\tcharging", "1000\t-1\tcharging",
            "1000\tnan\tcharging", "1000\tinf\tcharging", "0\t50\tcharging", "-5\t50\tcharging", "1000\t50\tburning",
            "99999999999999999999\t50\tcharging", "1000 50 charging", "\0\t\0\t\0", "1000\t50\tcharging\r",
        ])
    func damagedLines(line: String) {
        let history = Self.read("\(line)\n2000\t50\tcharging")
        #expect(history.samples.map(\.time) == [2_000])
        #expect(history.ignored == 1)
        #expect(history.firstIgnored == "line 1 must be SECONDS, PERCENT and STATE, separated by tabs")
    }

    @Test("a sample of a time that has not come is ignored, except within the tolerance for clocks") func future() {
        let now: Int64 = 1_000_000
        let last = now + UPowerHistory.clockTolerance
        let history = Self.read("\(last)\t50\tcharging\n\(last + 1)\t50\tcharging\n\(Int64.max)\t50\tfull\n", at: now)
        #expect(history.samples.map(\.time) == [last])
        #expect(history.ignored == 2)
        #expect(history.firstIgnored == "line 2 is in the future: 1000301 s since 1970 is 301 s from now")
    }

    @Test("an empty file has no samples") func emptyFile() {
        #expect(Self.read("").samples.isEmpty)
        #expect(Self.read("\n\n").ignored == 0)
    }
}
