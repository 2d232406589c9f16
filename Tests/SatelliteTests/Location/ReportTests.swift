// SPDX-License-Identifier: Apache-2.0

import ReveilleLocationCore
import Testing

/// The lines of gpsd.
@Suite struct ReportTests {
    private func read(_ members: String) -> Fix? {
        guard case .fix(let fix, _) = Report(Array(#"{"class":"TPV",\#(members)}"#.utf8)) else { return nil }
        return fix
    }

    @Test("every member of a report of gpsd 3.22 is read") func fullReport() throws {
        let fix = try #require(
            read(
                #""device":"/dev/pts/1","mode":3,"time":"2026-06-01T12:00:02.250Z","ept":0.005,"lat":52.520033333,"#
                    + #""lon":13.408333333,"altHAE":74.3,"altMSL":34.5,"alt":34.5,"epv":34.500,"track":90.5,"#
                    + #""magtrack":4.06,"speed":0.977,"climb":0.000,"epc":69.00,"geoidSep":39.800,"eph":19.000"#))
        #expect(fix.mode == .full)
        #expect((fix.latitude, fix.longitude) == (52.520033333, 13.408333333))
        #expect((fix.altitude, fix.speed, fix.course) == (34.5, 0.977, 90.5))
        #expect((fix.accuracy, fix.verticalAccuracy) == (19, 34.5))
        #expect(fix.time == 1_780_315_202_250_000)
    }

    @Test("B184: values that gpsd does not report are unknown") func missingValuesAreUnknown() throws {
        let fix = try #require(read(#""mode":3,"lat":1,"lon":2"#))
        #expect(
            [fix.altitude, fix.speed, fix.course, fix.accuracy, fix.verticalAccuracy] == [nil, nil, nil, nil, nil])
        #expect(fix.time == nil)
    }

    @Test("the altitude of a fix without one is unknown, and older names of values are read") func otherNames() throws {
        #expect(try #require(read(#""mode":2,"lat":1,"lon":2,"altMSL":5"#)).altitude == nil)
        let old = try #require(read(#""mode":3,"lat":1,"lon":2,"alt":7,"epx":3,"epy":4"#))
        #expect((old.altitude, old.accuracy) == (7, 5))
    }

    @Test(
        "a report without a position on Earth is not a fix",
        arguments: [
            #""mode":1"#, #""mode":0,"lat":1,"lon":2"#, #""mode":1,"lat":1,"lon":2"#, #""mode":4,"lat":1,"lon":2"#,
            #""mode":2"#, #""mode":2,"lat":1"#, #""mode":2,"lat":90.1,"lon":2"#, #""mode":2,"lat":1,"lon":-181"#,
            #""mode":2,"lat":1e999,"lon":2"#, #""mode":2,"lat":"1","lon":2"#, #""mode":2,"lat":null,"lon":2"#,
            #""mode":"3","lat":1,"lon":2"#, #""mode":2.5,"lat":1,"lon":2"#, #""lat":1,"lon":2"#,
        ])
    func notAFix(members: String) {
        #expect(read(members) == nil)
    }

    @Test("an impossible value is unknown, and the others count") func impossibleValuesAreUnknown() throws {
        let fix = try #require(
            read(
                #""mode":3,"lat":1,"lon":2,"altMSL":1e300,"alt":"high","speed":-1,"track":361,"eph":-2,"epv":1e200,"#
                    + #""time":12"#))
        #expect(
            [fix.altitude, fix.speed, fix.course, fix.accuracy, fix.verticalAccuracy] == [nil, nil, nil, nil, nil])
        #expect(fix.time == nil)
        #expect(read(#""mode":3,"lat":1,"lon":2,"track":360"#)?.course == 0)
    }

    @Test(
        "times are read exactly, and others are unknown",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000001Z", 1),
            ("2024-02-29T23:59:60Z", 1_709_251_200_000_000),
            ("1969-12-31T23:59:59.5Z", -500_000), ("9999-12-31T23:59:59.9999999Z", 253_402_300_799_999_999),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000_000),
            ("", nil), ("Z", nil), ("2026-06-01", nil), ("2026-06-01T12:00:00", nil), ("2026-06-01T12:00:00.Z", nil),
            ("2026-13-01T12:00:00Z", nil), ("2026-06-01T24:00:00Z", nil), ("2026-06-01T12:00:00.1a2Z", nil),
            ("٢026-06-01T12:00:00Z", nil), ("2026-06-01T12:00:00+02:00", nil),
        ] as [(String, Int64?)])
    func times(text: String, expected: Int64?) throws {
        #expect(try #require(read(#""mode":2,"lat":1,"lon":2,"time":"\#(text)""#)).time == expected)
    }
}
