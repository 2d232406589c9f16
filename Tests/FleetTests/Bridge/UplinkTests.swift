// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleFleetCore
import Testing
import Varlink

@Suite("The way of states to a broker")
struct UplinkTests {
    private static let status = "reveille/v1/\(UplinkScene.device)/status"

    private func message(_ scene: UplinkScene, _ aspect: String) throws -> StateMessage {
        try StateMessage(try #require(scene.retained["reveille/v1/\(UplinkScene.device)/state/\(aspect)"]))
    }

    private func status(_ scene: UplinkScene) throws -> StatusMessage {
        try StatusMessage(try #require(scene.retained[Self.status]))
    }

    @Test("what changes while the broker is away is one message an aspect, with the number of changes")
    func away() throws {
        var scene = try UplinkScene()
        scene.settle()
        scene.lose()
        for _ in 0..<5 { scene.bus.change("battery") }
        for _ in 0..<2 { scene.bus.change("orientation") }
        scene.turnBus()
        #expect(scene.wire.isEmpty)
        scene.fireTimer()
        scene.answer(isAccepted: true)
        scene.turnBus()
        let states = scene.wire.filter { $0.publication != .status }
        #expect(states.count == 2)
        while !scene.wire.isEmpty { scene.deliver() }
        #expect(try message(scene, "battery").changes == 5)
        #expect(try message(scene, "orientation").changes == 2)
        #expect(scene.faults.isEmpty)
    }

    @Test("a state that is too long for readers takes the former state back, is reported, and ends nothing else")
    func tooLong() throws {
        var scene = try UplinkScene()
        scene.settle()
        scene.bus.change("battery")
        scene.bus.change("orientation")
        scene.bus.pad("battery", to: FleetTopic.payloadLimit)
        scene.settle()
        #expect(try message(scene, "battery").value.isNull)
        #expect(try message(scene, "battery").generation == 2)
        #expect(try message(scene, "orientation").value == scene.bus.state(of: "orientation").value)
        #expect(scene.faults == ["battery is left out"])
        scene.bus.change("battery")
        scene.settle()
        #expect(try message(scene, "battery").value == scene.bus.state(of: "battery").value)
    }

    @Test("a restarted bridge publishes its birth and every state, each with what has changed")
    func restart() throws {
        var scene = try UplinkScene()
        scene.settle()
        scene.bus.change("orientation")
        scene.restart(fromLatest: true)
        scene.turnBus()
        scene.fireTimer()
        scene.answer(isAccepted: true)
        scene.turnBus()
        #expect(scene.wire.map(\.publication) == [.status, .state("battery"), .state("orientation")])
        while !scene.wire.isEmpty { scene.deliver() }
        #expect(try message(scene, "battery").changes == 0)
        #expect(try message(scene, "orientation").changes == 1)
    }

    @Test("an aspect that is not configured any more is removed from the broker")
    func removal() throws {
        let saved = UplinkPositions(
            identity: "a@mqtts://b:8883", instance: "i", generations: ["locale": 4, "battery": 2])
        var uplink = try Uplink(aspects: ["battery"], from: saved)
        _ = uplink.start(fraction: 0)
        _ = uplink.take(.timeIsOver, at: 0, fraction: 0)
        let effects = uplink.take(.connected(sessionPresent: true), at: 0, fraction: 0)
        #expect(
            effects.contains(.publish(.state("locale"), topic: "reveille/v1/a/state/locale", payload: [], expiry: nil)))
        _ = uplink.take(.answered(.state("locale"), isTaken: true), at: 0, fraction: 0)
        #expect(uplink.positions.generations.keys.sorted() == ["battery"])
    }

    @Test("settings are read completely, and only allowed domains leave the device")
    func defaults() throws {
        func value(_ domains: [String]) -> JSON {
            ["domains": .array(domains.map { ["domain": .string($0), "keys": ["k"]] })]
        }
        func state(_ generation: Int64, _ changes: Int64, _ domains: [String]) -> BusState {
            BusState(aspect: "defaults", generation: generation, changes: changes, changedAt: 1, value: value(domains))
        }
        var uplink = try Uplink(aspects: ["defaults"], domains: ["org.example.open"])
        _ = uplink.take(
            .busStarted(
                instance: "i", states: [state(1, 0, ["org.example.open", "org.example.secret"])], isResumed: false),
            at: 0, fraction: 0)
        _ = uplink.take(.timeIsOver, at: 0, fraction: 0)
        let first = uplink.take(.connected(sessionPresent: false), at: 0, fraction: 0)
        #expect("\(first)".contains(byteText(of: "secret")) == false)
        _ = uplink.take(.answered(.state("defaults"), isTaken: true), at: 0, fraction: 0)
        #expect(uplink.take(.busChanged([state(2, 1, ["org.example.secret"])]), at: 0, fraction: 0).isEmpty)
        let effects = uplink.take(.busChanged([state(3, 1, ["org.example.open"])]), at: 0, fraction: 0)
        #expect(effects == [.readStates(["defaults"])])
        let read = uplink.take(
            .statesRead(instance: "i", states: [state(3, 0, ["org.example.open", "org.example.secret"])]), at: 0,
            fraction: 0)
        guard case .publish(_, _, let payload, _)? = read.first else {
            Issue.record("not published: \(read)")
            return
        }
        let message = try StateMessage(payload)
        #expect(message.changes == 2)
        #expect(message.value == value(["org.example.open"]))
    }

    private func byteText(of word: String) -> String { Array(word.utf8).map { "\($0)" }.joined(separator: ", ") }

    @Test("a device that wakes publishes what has changed, says that it sleeps, and disconnects")
    func wake() throws {
        var scene = try UplinkScene(wakeEvery: .seconds(900))
        scene.turnBus()
        for round in 0..<3 {
            if round > 0 { for _ in 0..<4 { scene.bus.change("battery") } }
            scene.fireTimer()
            scene.answer(isAccepted: true)
            scene.take(.desiredArrived)
            for _ in 0..<10 {
                scene.turnBus()
                while !scene.wire.isEmpty { scene.deliver() }
                while !scene.acknowledgements.isEmpty { scene.acknowledge() }
            }
            #expect(!scene.isConnected)
            #expect(scene.farewells == round + 1)
            let status = try status(scene)
            #expect(status.reason == .asleep)
            #expect(status.wakeEvery == 900)
            #expect(try message(scene, "battery").changes == (round == 0 ? 0 : 4))
            #expect(!scene.isForeground)
        }
        #expect(scene.faults.isEmpty)
    }

    @Test("a device whose machine is about to sleep says so, with its alarm, before the machine sleeps")
    func machine() throws {
        var scene = try UplinkScene()
        scene.settle()
        let alarm = BusState(
            aspect: "org.reveille.alarm", generation: 1, changes: 1, changedAt: 0, value: ["at": 7_000_000])
        scene.take(.busChanged([alarm]))
        for round in 1...3 {
            scene.announceSleep("preparing")
            #expect(scene.isDelaying && scene.isConnected)
            scene.deliver()
            scene.acknowledge()
            #expect(!scene.isDelaying && !scene.isConnected && scene.farewells == round)
            #expect(try status(scene).reason == .asleep)
            #expect(try status(scene).wakesAt == 7_000_000)
            scene.bus.change("battery")
            scene.turnBus()
            // The end can be lost.
            if round < 3 { scene.announceSleep("awake") } else { scene.fireTimer() }
            #expect(!scene.isConnecting)
            scene.settle()
            #expect(try status(scene).isOnline)
            #expect(try message(scene, "battery").changes == 1)
        }
        scene.announceSleep("preparing")
        scene.lose()
        #expect(!scene.isDelaying)
        scene.settle()
        #expect(try status(scene).isOnline)
        #expect(scene.faults.isEmpty)
    }

    @Test("a bridge that is stopped says so; one whose broker is silent ends after a second")
    func stop() throws {
        var scene = try UplinkScene()
        scene.settle()
        scene.take(.stop)
        while !scene.wire.isEmpty { scene.deliver() }
        scene.acknowledge()
        #expect(try status(scene).reason == .stopped)
        #expect(scene.hasEnded)
        var silent = try UplinkScene()
        silent.settle()
        silent.take(.stop)
        #expect(!silent.hasEnded)
        silent.fireTimer()
        #expect(silent.hasEnded)
        var offline = try UplinkScene()
        offline.take(.stop)
        #expect(offline.hasEnded)
    }

    @Test("a device without its bus says so")
    func noBus() throws {
        var scene = try UplinkScene()
        scene.settle()
        scene.restartBus(isNew: true)
        while !scene.wire.isEmpty { scene.deliver() }
        #expect(try status(scene).reason == .noBus)
        while !scene.acknowledgements.isEmpty { scene.acknowledge() }
        scene.settle()
        #expect(try status(scene).reason == nil)
        #expect(try status(scene).instance == "i1")
    }

    @Test("a broker on this machine is reached at once")
    func local() throws {
        var uplink = try Uplink(aspects: [], broker: "unix:/b")
        #expect(uplink.start(fraction: 1) == [.wait(.zero)])
        for pause: Duration in [.seconds(1), .seconds(2), .seconds(2)] {
            _ = uplink.take(.timeIsOver, at: 0, fraction: 1)
            #expect(uplink.take(.disconnected(isTakenOver: false), at: 0, fraction: 1).contains(.wait(pause)))
        }
    }

    @Test("another client with the same identity is given way with the longest pauses")
    func takenOver() throws {
        var scene = try UplinkScene()
        scene.settle()
        let effects = scene.uplink.take(.disconnected(isTakenOver: true), at: 0, fraction: 1)
        #expect(effects.contains(.wait(Uplink.pauses.upperBound)))
    }

    @Test("a broker that ends three connections in a row early is suspected to have a clone of the device")
    func silentTakeOver() throws {
        var scene = try UplinkScene()
        for count in 1...3 {
            scene.settle()
            scene.lose()
            #expect(scene.suspicions == (count < 3 ? 0 : 1))
        }
    }

    @Test("positions are the same after they were saved, and broken files are refused with the reason")
    func positions() throws {
        var scene = try UplinkScene()
        scene.settle()
        let positions = BridgePositions(
            uplink: scene.uplink.positions, desired: [:], announced: ["homeassistant"])
        #expect(try BridgePositions(parsing: positions.bytes) == positions)
        for text in ["", "{}", #"{"version":2}"#, #"{"version":1,"states":{}}"#, "[1]", "\0"] {
            #expect(throws: FleetError.self) { try BridgePositions(parsing: Array(text.utf8)) }
        }
    }
}
