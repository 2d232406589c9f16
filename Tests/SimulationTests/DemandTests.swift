// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleWire
import Testing
import Varlink

/// Publishers that ask whether anybody needs their names: ObserveDemand.
@Suite(.timeLimit(.minutes(10))) struct DemandTests {
    private static let name: Aspect = "org.example.a"
    private let life: SuspensionScene
    private var scene: BusScene { life.scene }

    init() throws { life = try SuspensionScene() }

    private func observe(_ aspects: Aspect...) throws -> DemandView {
        DemandView(scene.connect(uid: 1_001, pid: 9), of: aspects)
    }

    private func publish(_ number: Int64) throws {
        try scene.connect(uid: 0).call(
            "Publish", ["aspect": .string(Self.name.name), "value": ["n": .integer(number)]])
    }

    @Test("B217: a subscriber that has an event unread for 5 s while another is due needs nothing until it reads")
    func lateReadersNeedNothing() throws {
        let subscription = try life.subscribe(20, aspects: [Self.name.name])
        let publisher = try observe(Self.name)
        #expect(try publisher.read() == [Self.name: true])
        try publish(1)
        scene.pass(.seconds(60))
        #expect(try publisher.read() == nil)
        try publish(2)
        scene.pass(.milliseconds(4_900))
        #expect(try publisher.read() == nil)
        scene.pass(.milliseconds(200))
        #expect(try publisher.read() == [Self.name: false])
        _ = try subscription.events()
        #expect(try publisher.read() == [Self.name: true])
    }

    @Test("nobody is left after a thousand publishers have asked and gone, and no timer of theirs")
    func nothingIsLeft() throws {
        let subscription = try life.subscribe(20, aspects: ["org.*"])
        // A connection without a call would be closed.
        try life.shell.call("ListSubscriptions")
        let sources = scene.loop.sourceCount
        for number in 0..<1_000 {
            let publisher = try observe(Aspect(stringLiteral: "org.example.n\(number)"), "com.*")
            #expect(try publisher.read()?.count == 2)
            publisher.peer.stream.close()
        }
        scene.turn()
        #expect(scene.loop.sourceCount == sources)
        #expect(scene.loop.nextDeadline == nil)
        _ = subscription
    }

    @Test(
        "aspects of the device, no names, no list and too many names are refused, and the connection goes on",
        arguments: [
            (["battery"], "org.varlink.service.InvalidParameter"), ([], "org.varlink.service.InvalidParameter"),
            ((0..<65).map { "org.example.n\($0)" }, "org.reveille.Bus.QuotaExceeded"),
            (["org..a"], "org.varlink.service.InvalidParameter"),
        ])
    func refusals(aspects: [String], error: String) throws {
        let peer = scene.connect(uid: 1_001)
        let reply = try peer.call("ObserveDemand", ["aspects": .array(aspects.map { .string($0) })], more: true)
        #expect(reply.error == error)
        #expect(try peer.call("ObserveDemand", ["aspects": ["org.a"]]).error == "org.varlink.service.ExpectedMore")
        #expect(try peer.call("ObserveDemand", ["aspects": ["org.a"]], more: true).continues)
    }
}
