// SPDX-License-Identifier: Apache-2.0

import ReveilleTesting
import Testing

@testable import Reveille
@testable import ReveilleCore

/// The schedule of the Swift library, and the positions of a launched program.
@Suite(.timeLimit(.minutes(10))) struct SchedulingTests {
    private static let name = PublishedName<[String: String]>("org.example.alarm")

    @Test func entriesAreAddedListedAndRemoved() async throws {
        let device = try await TestDevice.inMemory()
        let alarm = try await device.schedule(
            ScheduleRequest(
                "alarm", publishing: Self.name, .every(.seconds(3_600)), value: ["sound": "bell"], ifMissed: .skip,
                grace: .seconds(5)))
        #expect(alarm.next != nil)
        try await device.schedule(
            ScheduleRequest("daily", publishing: Self.name, .daily(hour: 7, minute: 30, zone: "UTC"), value: [:]))
        let soon = ScheduleTime.at(.now + .seconds(300))
        try await device.schedule(ScheduleRequest("soon", publishing: Self.name, soon, value: [:]))
        try await device.schedule(
            ScheduleRequest("weekly", publishing: Self.name, .weekly([.sunday], hour: 7, zone: "UTC"), value: [:]))
        let work = ScheduleTime.weekly([.monday, .friday], hour: 9)
        try await device.schedule(ScheduleRequest("work", publishing: Self.name, work, value: [:]))
        let entries = try await device.scheduled()
        #expect(entries.map(\.id) == ["alarm", "daily", "soon", "weekly", "work"])
        #expect(entries[0] == alarm && alarm.time == .every(.seconds(3_600)))
        #expect(try alarm.value.decode(as: [String: String].self) == ["sound": "bell"])
        #expect(entries[1].time == .calendar(CalendarRule(hour: 7, minute: 30), zone: "UTC"))
        #expect(entries[2].time == soon)
        #expect(entries[3].time == .calendar(CalendarRule(weekdays: [.sunday], hour: 7, minute: 0), zone: "UTC"))
        #expect(entries[4].time == work)
        #expect(try await device.cancelScheduled("alarm"))
        #expect(try await !device.cancelScheduled("alarm"))
        #expect(try await device.cancelAllScheduled() == 4)
    }

    @Test func impossibleEntriesAreRefused() async throws {
        let device = try await TestDevice.inMemory()
        let error = await #expect(throws: ReveilleError.self) {
            try await device.schedule(
                ScheduleRequest("fast", publishing: Self.name, .every(.milliseconds(999)), value: [:]))
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.description == "fast: every must be from one second to a century")
        let hour = await #expect(throws: ReveilleError.self) {
            try await device.schedule(ScheduleRequest("late", publishing: Self.name, .daily(hour: 24), value: [:]))
        }
        #expect(hour == ReveilleError(.invalidArgument, "late: hour must be 0 to 23, not 24"))
        let zone = await #expect(throws: ReveilleError.self) {
            try await device.schedule(
                ScheduleRequest("zone", publishing: Self.name, .daily(hour: 1, zone: "No/Where"), value: [:]))
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
