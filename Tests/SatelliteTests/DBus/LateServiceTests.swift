// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleDBusCore
import ReveilleSimulation
import Testing
import Varlink

/// Services and message buses that are late, away, or send what cannot be read; a bus that refuses, and other publishers.
@Suite struct LateServiceTests {
    private static let service = "org.mpris.MediaPlayer2.a"
    private static let name = "org.mpris.player.a"
    private static let path = "/org/mpris/MediaPlayer2"
    private static let interface = "org.mpris.MediaPlayer2.Player"
    private static let demand: Aspect = "org.mpris.player.*"
    private static let object: [String: [String: [String: JSON]]] = [
        path: [interface: ["PlaybackStatus": "Playing", "Volume": 0.5]]
    ]

    /// A world with a player, whose names are needed from the start.
    private func world(isExported: Bool = true) throws -> World {
        var world = World(try DBusConfiguration(parsing: Array("{}".utf8)), Choices(seed: 1))
        world.appear(Self.service, Self.object, isExported: isExported)
        world.need(Self.demand, true)
        return world
    }

    private func status(_ world: World) -> JSON? { world.published[Self.name]?["status"] }

    @Test("a service that takes its name before its object answers is published whole once it does")
    func lateObject() throws {
        var world = try world(isExported: false)
        for _ in 0..<4 {
            world.deliverOne()
            world.answerOne(mayBeSilent: false)
        }
        #expect(world.published.isEmpty)
        world.export(Self.service, announces: false)
        world.settle()
        #expect(status(world) == "Playing" && world.published[Self.name]?["volume"] == 0.5)
        #expect(world.problem == nil)
    }

    @Test("a service whose list of objects fails at first is published once it answers") func lateList() throws {
        var world = try world()
        let device: [String: [String: JSON]] = ["org.bluez.Device1": ["Alias": "Mouse", "Paired": true]]
        world.appear("org.bluez", ["/org/bluez/hci0/dev_1": device], isExported: false)
        world.need("org.bluez.device.*", true)
        for _ in 0..<4 {
            world.deliverOne()
            world.answerOne(mayBeSilent: false)
        }
        world.export("org.bluez", announces: false)
        world.settle()
        #expect(world.published["org.bluez.device.hci0-dev_1"]?["alias"] == "Mouse")
    }

    @Test("an object that keeps failing is left alone until a signal of it, which reads it whole")
    func signalReads() throws {
        var world = try world(isExported: false)
        world.settle()
        #expect(world.follower.deadline == nil && world.published.isEmpty)
        world.export(Self.service, announces: true)
        world.settle()
        #expect(status(world) == "Playing" && world.published[Self.name]?["volume"] == 0.5)
    }

    @Test("signals that cannot be read have their object read again, with one warning for all") func unreadable() throws
    {
        var world = try world()
        world.settle()
        world.services[Self.service]?.objects[Self.path]?[Self.interface]?["PlaybackStatus"] = "Stopped"
        for _ in 0..<3 { world.setUnreadably(Self.service, Self.path) }
        world.settle()
        #expect(status(world) == "Stopped")
        #expect(Set(world.warnings).count == 1, "the log repeats no line")
    }

    @Test("a value does not outlive a message bus that is away when it is needed again") func absentBus() throws {
        var world = try world()
        world.settle()
        world.need(Self.demand, false)
        #expect(status(world) == "Playing")
        world.goAway(.session)
        world.need(Self.demand, true)
        #expect(world.published.isEmpty)
        world.acceptOne()
        world.comeBack(.session)
        world.settle()
        #expect(status(world) == "Playing")
    }

    @Test("a value does not outlive a message bus that does not answer in time when it is needed again")
    func silentBus() throws {
        var world = try world()
        world.settle()
        world.need(Self.demand, false)
        world.isDriverSilent = true
        world.need(Self.demand, true)
        #expect(status(world) == "Playing", "the answer is awaited")
        world.deliverOne()
        #expect(world.published.isEmpty)
        world.isDriverSilent = false
        world.settle()
        #expect(status(world) == "Playing")
    }

    @Test("a value that the bus refuses leaves none, and is sent again until the bus takes it") func refusal() throws {
        var world = try world()
        world.settle()
        world.set(Self.service, Self.path, Self.interface, "PlaybackStatus", "Stopped")
        world.isRefusing = true
        for _ in 0..<100 {
            world.answerOne(mayBeSilent: false)
            world.deliverOne()
            world.acceptOne()
            world.pass(1_000_000)
        }
        #expect(world.published.isEmpty)
        world.isRefusing = false
        world.settle()
        #expect(status(world) == "Stopped")
    }

    @Test("a value that another program has replaced is published again with the next need") func overruled() throws {
        var world = try world()
        world.settle()
        world.need(Self.demand, false)
        world.overrule(Self.name, nil)
        world.need(Self.demand, true)
        world.settle()
        #expect(status(world) == "Playing")
    }
}
