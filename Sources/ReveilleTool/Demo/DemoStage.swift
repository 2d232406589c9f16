// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import Varlink

/// The phone, its bus and the two subscribers of one demonstration.
final class DemoStage {
    /// How long a change may take to arrive before the demonstration has failed.
    private static let patience: Duration = .seconds(5)

    private let phone: SyntheticPhone
    private let bus: PhoneBus
    private let control: BusClient
    private let live: BusClient
    private let sleeper: BusClient
    private let sleeperName: String
    private var liveEvents: [Event] = []

    init() throws {
        phone = try SyntheticPhone()
        bus = try phone.startBus()
        let address = try UnixAddress(bus.address)
        control = try BusClient(address)
        live = try BusClient(address)
        sleeper = try BusClient(address)
        _ = try DemoStage.subscribe(live, as: "live")
        sleeperName = try DemoStage.subscribe(sleeper, as: "sleeper")["subscription"]?.stringValue ?? ""
    }

    /// Plays the whole piece and checks it.
    func play() throws {
        Console.line(Style.bold("A synthetic phone, a bus, and two subscribers: one awake, one asleep."))
        Console.line("")
        try setSleeper("background")
        for scene in DemoScene.all { try play(scene) }
        try checkSilence()
        Console.line("")
        Console.line("The one that was awake read \(liveEvents.count) events. The sleeper read none; now it wakes:")
        Console.line("")
        try setSleeper("foreground")
        let events = try Events.of(sleeper.receive(atMost: Self.patience).parameters).map(\.event)
        for event in events {
            Console.line("  " + Style.yellow("sleeper  ") + EventText.line(event))
        }
        try check(events)
        Console.line("")
        Console.line(
            Style.green(
                "\(events.reduce(0) { $0 + $1.changes }) changes, \(events.count) events: one for each aspect, with the "
                    + "state now and the number of changes it stands for."))
        let code = bus.stop()
        guard code == 0 else { throw Failure(.failure, "the bus ended with exit code \(code)") }
    }

    private func play(_ scene: DemoScene) throws {
        let before = liveEvents.count
        try scene.change(phone)
        repeat {
            let events = try Events.of(live.receive(atMost: Self.patience).parameters).map(\.event)
            for event in events {
                Console.line("  " + Style.cyan("live     ") + EventText.line(event) + Style.dim("   " + scene.title))
            }
            liveEvents += events
        } while !liveEvents[before...].contains { $0.aspect == scene.aspect }
    }

    private func setSleeper(_ state: String) throws {
        _ = try control.call("SetState", ["subscription": .string(sleeperName), "state": .string(state)])
    }

    // MARK: - What the bus promises

    private func checkSilence() throws {
        guard try sleeper.next() == nil else { throw Failure(.failure, "the sleeper was told something in its sleep") }
    }

    private func check(_ events: [Event]) throws {
        guard Set(events.map(\.aspect)) == Set(Aspect.allCases), events.count == Aspect.allCases.count else {
            throw Failure(.failure, "the sleeper got \(events.map(\.aspect)), not one event of each aspect")
        }
        for event in events {
            let seen = liveEvents.filter { $0.aspect == event.aspect }
            let changes = seen.reduce(0) { $0 + $1.changes }
            guard event.changes == changes else {
                throw Failure(
                    .failure, "\(event.aspect): the sleeper was told of \(event.changes) changes, there were \(changes)"
                )
            }
            // Of the settings each is told the keys that changed since its own last event.
            guard event.aspect == .defaults || event.reading == seen.last?.reading else {
                throw Failure(.failure, "\(event.aspect): the sleeper's state is not the one that stands")
            }
        }
        try checkSilence()
    }

    // MARK: - Setting the stage

    private static func subscribe(_ client: BusClient, as name: String) throws -> JSONObject {
        try client.send("Subscribe", ["name": .string(name)], mode: .more)
        return try client.receive(atMost: patience).parameters
    }
}
