// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleLink
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Testing
import Varlink

@testable import Reveille

/// The links of a publisher, with a bus that ends or is of an earlier version.
@Suite(.timeLimit(.minutes(10))) struct PublisherLinkTests {
    private static let name: Aspect = "org.example.volume"

    /// Runs a publisher until it has had a number of events; after each demand, it publishes a value.
    private func events(_ count: Int, from bus: MadeUpBus) throws -> [String] {
        let loop = try EventLoop()
        var events: [String] = []
        var publish: () -> Void = {}
        func note(_ event: String) {
            events.append(event)
            if events.count == count { loop.exit() }
        }
        let connector = try Connector(loop: loop, address: bus.address)
        let link = try PublisherLink(AspectSet(Self.name), connector) { event in
            switch event {
            case .demands(let demands):
                note("\(demands[Self.name].map { $0 ? "needed" : "unneeded" } ?? "unknown")")
                publish()
            case .lost(let error):
                note("lost: \(error.code)")
                // Without a bus, nothing is published.
                publish()
            }
        }
        publish = {
            link.publish(PublishedValue(Self.name, ["level": 1])) { error in note(error?.name ?? "published") }
        }
        link.open()
        try loop.run()
        publish = {}
        return events
    }

    @Test("both links are lost together, once, and the demand is observed again") func loss() throws {
        let directory = try TemporaryDirectory()
        let publications = Lock(0)
        let bus = try MadeUpBus(at: directory.path + "/bus") { peer in
            while let call = peer.next() {
                if call.member == "ObserveDemand" {
                    peer.answer(#"{"demands":[{"aspect":"org.example.volume","needed":true}]}"#, continues: true)
                } else if publications.increment() == 1 {
                    return
                } else {
                    peer.answer(#"{"generation":1,"sequence":1}"#)
                }
            }
        }
        #expect(try events(4, from: bus) == ["needed", "lost: noBus", "needed", "published"])
        bus.stop()
    }

    @Test("a bus that does not tell the demand needs every name, and one that refuses to is asked again")
    func refusal() throws {
        let directory = try TemporaryDirectory()
        let earlier = try MadeUpBus(at: directory.path + "/earlier") { peer in
            while let call = peer.next() {
                if call.member == "ObserveDemand" {
                    peer.refuse("org.varlink.service.MethodNotFound")
                } else {
                    peer.answer(#"{"generation":1,"sequence":1}"#)
                }
            }
        }
        #expect(try events(2, from: earlier) == ["needed", "published"])
        earlier.stop()
        let full = try MadeUpBus(at: directory.path + "/full") { peer in
            while peer.next() != nil { peer.refuse(CallError.permissionDenied.name) }
        }
        #expect(try events(2, from: full) == ["lost: notPermitted", "lost: notPermitted"])
        full.stop()
    }
}
