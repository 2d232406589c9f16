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
}
