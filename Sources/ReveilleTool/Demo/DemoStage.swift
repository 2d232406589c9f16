// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleConsole
import ReveilleTesting

/// The phone, the bus and the two subscribers of a demonstration.
final class DemoStage {
    /// The aspects of the device, and the state that the demonstration publishes.
    private static let aspects = AspectSet.default.union([DemoScene.player])
    private static let column = EventText.column(for: aspects.aspects)
    /// The column of the titles of scenes, beside the longest state of a phone.
    private static let titleColumn = column + 24
    /// The number of pauses between the last change and the wake, for people to read the line in between.
    private static let breaths = 6
    /// The number of pauses of ``play(pace:)``.
    static let pauses = DemoScene.all.count + breaths + aspects.count

    private let phone: SyntheticPhone
    private let bus: PhoneBus
    private let device: Device
    private let live: Subscription
    private let sleeper: Subscription
    private var liveEvents: [Event] = []

    init() async throws {
        phone = try SyntheticPhone()
        bus = try phone.startBus()
        device = try await Device.connect(to: bus.address)
        live = try await device.subscribe(to: Self.aspects, name: "live")
        sleeper = try await device.subscribe(to: Self.aspects, name: "sleeper")
    }

    /// Runs the demonstration and checks its events.
    ///
    /// - Parameter pace: An element for each pause that is over; after its end, there are no pauses.
    /// - Throws: `Failure` if an event is missing or wrong, or the error of the phone or the bus.
    func play(pace: AsyncStream<Void>) async throws {
        var pace = pace.makeAsyncIterator()
        try Console.line(Style.bold("A synthetic phone, a bus, and two subscribers: one awake, one asleep."))
        try Console.line("")
        try await sleeper.enterBackground()
        for scene in DemoScene.all {
            try await play(scene)
            await pace.next()
        }
        try await checkSilence()
        try Console.line("")
        try Console.line("The awake subscriber received \(liveEvents.count) events, the sleeper none. Now it wakes:")
        try Console.line("")
        for _ in 0..<Self.breaths { await pace.next() }
        try await sleeper.enterForeground()
        var events: [Event] = []
        while events.count < Self.aspects.count, let event = try await sleeper.next() {
            events.append(event)
        }
        for event in events {
            try Console.line("  " + Style.yellow("sleeper  ") + EventText.line(event, column: Self.column))
            await pace.next()
        }
        try check(events)
        try Console.line("")
        try Console.line(
            Style.green(
                """
                \(events.reduce(0) { $0 + $1.changes }) changes, \(events.count) events: one for each aspect, with \
                its current state and the number of merged changes.
                """))
        let code = bus.stop()
        guard code == 0 else { throw Failure(.failure, "the bus ended with exit code \(code)") }
    }

    private func play(_ scene: DemoScene) async throws {
        try await scene.change(phone, device)
        while let event = try await live.next() {
            let line = EventText.line(event, column: Self.column).padded(to: Self.titleColumn)
            try Console.line("  " + Style.cyan("live     ") + line + Style.dim("  \(scene.title)"))
            liveEvents.append(event)
            if event.aspect == scene.aspect { return }
        }
    }

    // MARK: - Checks

    private func checkSilence() async throws {
        let events = try await device.subscribers().first { $0.name == "sleeper" }?.events
        guard events == 0 else {
            throw Failure(.failure, "the bus sent \(events ?? 0) events to the sleeping subscriber, not 0")
        }
    }

    private func check(_ events: [Event]) throws {
        guard events.map(\.aspect).sorted() == Self.aspects.aspects else {
            throw Failure(.failure, "the sleeper received \(events.map(\.aspect)), not one event for each aspect")
        }
        for event in events {
            let seen = liveEvents.filter { $0.aspect == event.aspect }
            let changes = seen.reduce(0) { $0 + $1.changes }
            guard event.changes == changes else {
                throw Failure(
                    .failure, "\(event.aspect): the sleeper's event counts \(event.changes) of \(changes) changes")
            }
            // Readings of settings differ: each lists the keys that changed since the subscriber's own last event.
            guard event.aspect.builtIn?.isReportedInParts == true || event.reading == seen.last?.reading else {
                throw Failure(.failure, "\(event.aspect): the sleeper's event does not have the current state")
            }
        }
    }
}
