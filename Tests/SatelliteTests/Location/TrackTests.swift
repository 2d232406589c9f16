// SPDX-License-Identifier: Apache-2.0

import ReveilleLocationCore
import Testing

/// The fixes that are published.
@Suite struct TrackTests {
    private let start = ContinuousClock.now

    private func fix(_ latitude: Double, time: Int64? = nil, speed: Double? = nil) -> Fix? {
        var members = #""class":"TPV","mode":2,"lat":\#(latitude),"lon":13"#
        if let speed { members += #","speed":\#(speed)"# }
        if let time { members += #","time":"1970-01-01T00:00:0\#(time)Z""# }
        guard case .fix(let fix, _) = Report(Array("{\(members)}".utf8)) else { return nil }
        return fix
    }

    private func take(
        _ fix: Fix?, from receiver: String = "a", after seconds: Int = 0, into track: inout Track
    ) throws -> Location? {
        track.take(try #require(fix), from: receiver, at: start + .seconds(seconds))
    }

    private func expires(after seconds: Int, _ track: inout Track) -> Bool {
        track.expires(at: start + .seconds(seconds))
    }

    @Test("a fix that differs only in its time is not published") func equalFixIsNotPublished() throws {
        var track = Track(threshold: 0)
        #expect(try take(fix(1, time: 1), into: &track)?.fix.time == 1_000_000)
        #expect(try take(fix(1, time: 2), into: &track) == nil)
        #expect(try take(fix(1, time: 3, speed: 1), into: &track)?.fix.time == 3_000_000)
    }

    @Test("below the threshold, nothing is published until the path from the last location is long enough")
    func threshold() throws {
        var track = Track(threshold: 100)
        #expect(try take(fix(1), into: &track) != nil)
        // 0.0005° are 55.6 m.
        #expect(try take(fix(1.0005), into: &track) == nil)
        #expect(try take(fix(1.0000, speed: 2), into: &track) == nil)
        let location = try #require(try take(fix(1.001), into: &track))
        #expect(abs(location.distance - 111.2) < 0.1)
    }

    @Test("the distance is the length of the whole path, even across a loss of the location")
    func distanceIsThePath() throws {
        var track = Track(threshold: 0)
        #expect(try take(fix(1), into: &track)?.distance == 0)
        let there = try #require(try take(fix(2), into: &track)).distance
        #expect(abs(there - 111_195) < 1)
        _ = track.clear()
        let back = try #require(try take(fix(1), into: &track)).distance
        #expect(abs(back - 2 * there) < 0.001)
    }

    @Test("distances are right between opposite points and across the date line") func distances() throws {
        func distance(_ one: (Double, Double), _ other: (Double, Double)) throws -> Double {
            func fix(_ place: (Double, Double)) throws -> Fix {
                let line = #"{"class":"TPV","mode":2,"lat":\#(place.0),"lon":\#(place.1)}"#
                guard case .fix(let fix, _) = Report(Array(line.utf8)) else { throw GPSDError.silent }
                return fix
            }
            return try fix(one).distance(to: fix(other))
        }
        #expect(abs(try distance((0, 179.5), (0, -179.5)) - 111_195) < 1)
        #expect(abs(try distance((90, 0), (-90, 0)) - 20_015_115) < 1)
        #expect(abs(try distance((45, 90), (-45, -90)) - 20_015_115) < 1)
        #expect(try distance((10, 20), (10, 20)) == 0)
    }

    @Test("a location expires 30 seconds after the last fix, equal ones included") func expiry() throws {
        var track = Track(threshold: 0)
        #expect(track.expiry == nil)
        #expect(!expires(after: 0, &track))
        _ = try take(fix(1), into: &track)
        _ = try take(fix(1), after: 20, into: &track)
        #expect(track.expiry == start + .seconds(50))
        #expect(!expires(after: 49, &track))
        #expect(expires(after: 50, &track))
        #expect(!expires(after: 51, &track), "it is withdrawn once")
        #expect(try take(fix(1), after: 52, into: &track) != nil, "the same place is published again")
    }

    @Test("a second receiver is ignored while the first one has fixes") func secondReceiverIsIgnored() throws {
        var track = Track(threshold: 0)
        #expect(try take(fix(1), into: &track) != nil)
        #expect(try take(fix(2), from: "b", into: &track) == nil)
        #expect(try take(fix(3), into: &track) != nil)
        #expect(expires(after: 30, &track))
        #expect(try take(fix(2), from: "b", after: 31, into: &track) != nil)
    }

    @Test("a location that did not reach the bus is published again") func retractedLocationIsRepeated() throws {
        var track = Track(threshold: 10)
        let first = try take(fix(1), into: &track)
        track.retract()
        #expect(try take(fix(1), into: &track) == first)
        let wasThere = track.clear()
        #expect(wasThere, "it may have reached the bus")
    }
}
