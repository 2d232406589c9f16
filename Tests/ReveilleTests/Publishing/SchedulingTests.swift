// SPDX-License-Identifier: Apache-2.0

import ReveilleTesting
import Testing

@testable import Reveille
@testable import ReveilleCore

/// The schedule of the Swift library, and the positions of a launched program.
@Suite(.timeLimit(.minutes(10))) struct SchedulingTests {
    private static let name: Aspect = "org.example.alarm"

    @Test func entriesAreAddedListedAndRemoved() async throws {
        let device = try await TestDevice.inMemory()
        let next = try await device.schedule(
            "alarm", .every(.seconds(3_600)), publishing: Self.name, ["sound": "bell"], ifMissed: .skip,
            grace: .seconds(5))
        #expect(next != nil)
        let rule = CalendarRule(hour: 7, minute: 30)
        try await device.schedule("daily", .calendar(rule, zone: "UTC"), publishing: Self.name)
        let entries = try await device.scheduled
        #expect(entries.map(\.id) == ["alarm", "daily"])
        #expect(entries[0].time == .every(.seconds(3_600)))
        #expect(entries[0].ifMissed == .skip)
        #expect(entries[0].grace == .seconds(5))
        #expect(entries[0].next == next)
        #expect(entries[1].time == .calendar(rule, zone: "UTC"))
        #expect(try await device.cancelScheduled("alarm"))
        #expect(try await !device.cancelScheduled("alarm"))
        #expect(try await device.cancelAllScheduled() == 1)
    }

    @Test func impossibleEntriesAreRefused() async throws {
        let device = try await TestDevice.inMemory()
        let error = await #expect(throws: ReveilleError.self) {
            try await device.schedule("fast", .every(.milliseconds(999)), publishing: Self.name)
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.description == "fast: every must be from one second to a century")
        let hour = await #expect(throws: ReveilleError.self) {
            try await device.schedule("late", .calendar(CalendarRule(hour: 24)), publishing: Self.name)
        }
        #expect(hour == ReveilleError(.invalidArgument, "late: hour must be 0 to 23, not 24"))
        let zone = await #expect(throws: ReveilleError.self) {
            try await device.schedule(
                "zone", .calendar(CalendarRule(hour: 1), zone: "No/Where"), publishing: Self.name)
        }
        #expect(zone?.description.contains("does not know this time zone") == true)
    }

    @Test func positionsOfALaunchAreTakenOnce() throws {
        let text = """
            {"instance":"one","resume":[{"aspect":"org.example.a","generation":3},{"aspect":"org.example.b","generation":0}]}
            """
        let positions = try #require(Positions(launch: text))
        #expect(positions.generations == ["org.example.a": 3, "org.example.b": 0])
        var launch = LaunchPositions(positions)
        var first = SubscriptionRequest(aspects: ["org.example.a", .battery])
        launch.move(to: &first)
        #expect(first.instance == "one")
        #expect(first.positions == ["org.example.a": 3])
        var second = SubscriptionRequest(aspects: ["org.example.*"])
        launch.move(to: &second)
        #expect(second.positions == ["org.example.b": 0])
        var third = SubscriptionRequest(aspects: ["org.example.*"])
        launch.move(to: &third)
        #expect(third.positions == nil)
        for invalid in ["", "{}", #"{"instance":"one","resume":[]}"#, #"{"instance":1}"#] {
            #expect(Positions(launch: invalid) == nil)
        }
    }
}
