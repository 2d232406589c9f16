// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleWire
import Testing
import Varlink

@Suite(.timeLimit(.minutes(10))) struct IntervalTimerTests {
    private static let name = "org.example.volume"

    private let scene: BusScene
    private let publisher: ScenePeer

    init() throws {
        scene = try BusScene()
        publisher = scene.connect(uid: 0)
    }

    @Test("an event that had to wait comes exactly at the end of the interval") func delayedEventIsExact() throws {
        let peer = scene.connect()
        try peer.subscribe(to: [Self.name], ["policies": [["aspect": .string(Self.name), "interval": 1_000]]])
        try publisher.publish(Self.name, ["step": 0])
        #expect(try peer.events().count == 1)
        try publisher.publish(Self.name, ["step": 1])
        scene.loop.advance(.microseconds(999_999))
        #expect(try peer.events().isEmpty)
        scene.loop.advance(.microseconds(1))
        #expect(try peer.events().count == 1)
    }

    @Test("one timer serves a thousand paced subscribers, and none is set while nothing waits")
    func oneTimerServesAll() throws {
        func sources(with count: Int) throws -> Int {
            let scene = try BusScene()
            let publisher = scene.connect(uid: 0)
            let peers = try (0..<count).map { number in
                let peer = scene.connect(uid: 0)
                try peer.subscribe(
                    to: [Self.name],
                    ["policies": [["aspect": .string(Self.name), "interval": .integer(Int64(1 + number))]]])
                return peer
            }
            for step in 0..<2 {
                try publisher.publish(Self.name, ["step": .integer(Int64(step))])
                for peer in peers { _ = try peer.events() }
            }
            scene.pass(.milliseconds(500))
            scene.pass(.milliseconds(600))
            for peer in peers { #expect(try peer.events().count == 1) }
            scene.turn()
            #expect(scene.loop.nextDeadline == nil, "no timer is set")
            // An optimized build would end the connections before.
            return withExtendedLifetime((publisher, peers)) { scene.loop.sourceCount - count }
        }
        #expect(try sources(with: 1) == sources(with: 1_000))
    }

    @Test("no timer is set for a subscriber that is held or has gone") func heldSubscribersWaitForNothing() throws {
        let peer = scene.connect()
        let start = try peer.subscribe(
            to: [Self.name], ["policies": [["aspect": .string(Self.name), "interval": 60_000]]])
        for step in 0..<2 {
            try publisher.publish(Self.name, ["step": .integer(Int64(step))])
            _ = try peer.events()
        }
        #expect(scene.loop.nextDeadline != nil)
        let control = scene.connect()
        try control.call("SetState", ["subscription": .string(start.subscription), "state": "background"])
        #expect(scene.loop.nextDeadline == nil)
        try control.call("SetState", ["subscription": .string(start.subscription), "state": "foreground"])
        #expect(try peer.events().isEmpty)
        #expect(scene.loop.nextDeadline != nil)
        peer.stream.close()
        scene.turn()
        #expect(scene.loop.nextDeadline == nil)
    }
}
