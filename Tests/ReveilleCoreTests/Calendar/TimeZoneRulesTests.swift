// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore

@Suite struct TimeZoneRulesTests {
    private static let paris = "CET-1CEST,M3.5.0,M10.5.0/3"

    private static func footer(_ text: String) throws(FormatError) -> TimeZoneFooter {
        try TimeZoneFooter(Array(text.utf8)[...])
    }

    private static func reason(_ bytes: [UInt8]) -> String? {
        do throws(FormatError) {
            _ = try TimeZoneRules(tzif: bytes)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test("the offset is from the table, and later from the footer") func tableComesBeforeTheFooter() throws {
        let file = TZifFile(initial: 561, changes: [(-100, 0), (1_000, 7_200), (2_000, 3_600)], footer: Self.paris)
        let zone = try TimeZoneRules(tzif: file.bytes)
        #expect([-101, -100, 999, 1_000, 1_999, 2_000].map(zone.offset(at:)) == [561, 0, 0, 7_200, 7_200, 3_600])
        #expect(zone.transition(after: .min) == -100 && zone.transition(after: -100) == 1_000)
        // The last Sundays of March and October 1970 at 01:00 UTC.
        #expect(zone.transition(after: 2_000) == 7_520_400 && zone.offset(at: 7_520_400) == 7_200)
        #expect(zone.transition(after: 7_520_400) == 25_664_400 && zone.offset(at: 25_664_400) == 3_600)
    }

    @Test("a footer that contradicts the end of the table replaces it") func footerReplacesTheEnd() throws {
        let zone = try TimeZoneRules(tzif: TZifFile(initial: 60, changes: [(0, 120), (9, 180)], footer: "AAA-1").bytes)
        #expect([-1, 0, 8, 9, 10].map(zone.offset(at:)) == [60, 120, 120, 3_600, 3_600])
        #expect(zone.transition(after: 0) == 9 && zone.transition(after: 9) == nil)
        let same = try TimeZoneRules(
            tzif: TZifFile(initial: 60, changes: [(0, 3_600), (9, 180)], footer: "AAA-1").bytes)
        #expect(same.transition(after: .min) == 0 && same.transition(after: 0) == nil)
    }

    @Test("without a footer, the last offset remains") func lastOffsetRemains() throws {
        for version in [0, UInt8(ascii: "2"), UInt8(ascii: "3"), UInt8(ascii: "4")] {
            let file = TZifFile(version: version, initial: 60, changes: [(0, 120)])
            let zone = try TimeZoneRules(tzif: file.bytes)
            #expect(zone.offset(at: -1) == 60 && zone.offset(at: .max) == 120 && zone.offset(at: .min) == 60)
            #expect(zone.transition(after: 0) == nil)
        }
    }

    @Test("without a table, the footer counts at all times") func footerMayBeAlone() throws {
        let zone = try TimeZoneRules(tzif: TZifFile(footer: "<+0545>-5:45").bytes)
        #expect([.min, 0, .max].map(zone.offset(at:)) == [20_700, 20_700, 20_700])
        #expect(zone.transition(after: .min) == nil && zone.transition(after: .max) == nil)
    }

    @Test("a change long before the Earth is the first offset, and one long after it never comes")
    func distantChangesAreLeftOut() throws {
        let zone = try TimeZoneRules(
            tzif: TZifFile(initial: 1, changes: [(-1 << 59, 60), (0, 120), (1 << 59, 180)], footer: Self.paris).bytes)
        #expect(zone.offset(at: .min) == 60 && zone.offset(at: .max) == 120)
        #expect(zone.transition(after: .min) == 0 && zone.transition(after: 0) == nil)
    }

    @Test("a file that is cut at any byte is refused with a reason") func cutFilesAreRefused() throws {
        for version in [0, UInt8(ascii: "2")] {
            let file = TZifFile(version: version, changes: [(0, 3_600), (9, 0)], footer: Self.paris).bytes
            #expect(Self.reason(file) == nil)
            for length in 0..<file.count {
                let reason = try #require(Self.reason(Array(file.prefix(length))), "\(length) bytes")
                #expect(
                    ["is not a TZif file", "ends in", "has no table of 64-bit times"].contains { reason.hasPrefix($0) })
            }
        }
    }

    @Test("a file that contradicts itself is refused with a reason") func contradictionsAreRefused() {
        func reason(_ change: (inout TZifFile) -> Void) -> String? {
            var file = TZifFile(changes: [(0, 3_600), (9, 0)], footer: Self.paris)
            change(&file)
            return Self.reason(file.bytes)
        }
        #expect(reason { $0.changes[1].time = 0 } == "has times that are not in ascending order")
        #expect(reason { $0.changes[1].offset = 93_600 } == "has an offset of 93600 seconds")
        #expect(reason { $0.initial = .min } == nil, "an offset has 32 bits")
        #expect(reason { $0.initial = -90_000 } == "has an offset of -90000 seconds")
        #expect(reason { $0.footer = "CET" } == "invalid footer: offset")
        #expect(reason { $0.leapSeconds = [(78_796_800, 1)] }?.hasPrefix("has leap seconds") == true)
        var types = TZifFile(version: 0, changes: [(0, 3_600)]).bytes
        types[48] = 2
        #expect(Self.reason(types) == "refers to type 2 of 2")
        let endless = Array("TZif".utf8) + Array(repeating: 0, count: 16) + Array(repeating: 255, count: 24)
        #expect(Self.reason(endless) == "ends in a table of 4294967295 times")
    }

    @Test(
        "a footer has the offsets that its text says",
        arguments: [
            ("UTC0", 0, 0), ("<-03>3", -10_800, -10_800), ("LMT-0:53:28", 3_208, 3_208),
            ("NZST-12NZDT,M9.5.0,M4.1.0/3", 46_800, 43_200), ("IST-1GMT0,M10.5.0,M3.5.0/1", 0, 3_600),
            ("EST5EDT,0/0,J365/25", -14_400, -14_400), ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", -7_200, -3_600),
            ("A.C0", nil, nil), ("CET-1CEST", nil, nil), ("CET-1CEST,M3.5.0", nil, nil), ("CET-25", nil, nil),
            ("CET-1CEST,M13.5.0,M10.5.0", nil, nil), ("CET-1CEST,M3.6.0,M10.5.0", nil, nil),
            ("CET-1CEST,M3.5.7,M10.5.0", nil, nil), ("CET-1CEST,J0,J9", nil, nil), ("CET-1CEST,366,9", nil, nil),
            ("CET-1CEST,M3.5.0/168,M10.5.0", nil, nil), ("CET-1CEST,M3.5.0,M10.5.0 ", nil, nil), ("<CET-1", nil, nil),
            ("CET-1CEST-26,M3.5.0,M10.5.0", nil, nil), ("CET99999999999999999999", nil, nil), ("", nil, nil),
        ])
    func footersAreRead(text: String, january: Int?, july: Int?) {
        let footer = try? Self.footer(text)
        #expect(footer?.offset(at: 1_578_000_000) == january)
        #expect(footer?.offset(at: 1_593_700_000) == july)
    }

    @Test("changes of a footer have a new offset, and none is left out") func changesOfAFooterAreComplete() throws {
        let texts = [
            Self.paris, "AAA3BBB,J60,59", "AAA0BBB,J1/-167,J365/167", "AAA0BBB,364/167,J1/0",
            "EST5EDT,0/0,J365/25", "AAA-14BBB,M1.1.0/-167,M12.5.6/167",
        ]
        for text in texts {
            let footer = try Self.footer(text)
            var time = -1_000_000_000
            for _ in 0..<60 {
                guard let next = footer.transition(after: time) else { break }
                #expect(next > time)
                #expect(footer.offset(at: next) != footer.offset(at: next - 1), "\(text) at \(next)")
                for step in stride(from: time, to: next, by: max(1, (next - time) / 50)) {
                    #expect(footer.offset(at: step) == footer.offset(at: next - 1), "\(text) at \(step)")
                }
                time = next
            }
        }
    }

    @Test("a day without the leap day is the same date in each year") func daysOfTheYearAreCounted() throws {
        // The clocks change on the 1st of March, which is the 60th day without a leap day.
        let footer = try Self.footer("AAA0BBB,J60/0,J300/0")
        #expect(footer.offset(at: 1_582_934_400) == 0 && footer.offset(at: 1_583_020_800) == 3_600)
        #expect(footer.offset(at: 1_614_470_400) == 0 && footer.offset(at: 1_614_556_800) == 3_600)
    }

    @Test("a wall time comes first when it is shown, or at the end of its gap") func wallTimesComeFirst() throws {
        let zone = try TimeZoneRules(tzif: TZifFile(changes: [(10_000, 3_600), (50_000, 0)]).bytes)
        #expect([9_999, 10_000, 13_599, 13_600].map(zone.firstTime(atWallTime:)) == [9_999, 10_000, 10_000, 10_000])
        #expect([50_000, 53_599, 53_600].map(zone.firstTime(atWallTime:)) == [46_400, 49_999, 53_600])
        #expect(
            [9_999, 10_000, 50_000, 53_599, 53_600].map(zone.latestWallTime(through:))
                == [9_999, 13_600, 53_599, 53_599, 53_600])
    }
}
