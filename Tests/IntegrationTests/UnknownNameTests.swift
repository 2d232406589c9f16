// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleTesting
import Testing
import Varlink

/// What the documents say about names that the bus does not know, empty lists and policies without an effect.
@Suite(.blocking, .timeLimit(.minutes(10))) struct UnknownNameTests {
    private let bus: BusProcess

    init() throws {
        bus = try BusProcess()
    }

    @Test func `The generation of an unknown name is the sequence of the bus`() throws {
        let client = try bus.client()
        for level in [0.25, 0.5] {
            try client.post(level: level)
            let unknown = try client.state(of: "org.example.unknown")
            #expect(unknown.integer("generation") == unknown.integer("sequence"))
            #expect(try unknown.integer("sequence") == client.state(of: "battery").integer("sequence"))
        }
    }

    @Test func `The changes of a name that was forgotten are those since it came back`() throws {
        let client = try bus.client()
        let publish = { (value: String) in
            try client.call("Publish", #"{"aspect":"org.example.name","value":\#(value)}"#)
        }
        let subscriber = try bus.subscribe(#"{"aspects":["org.example.*"]}"#)
        #expect(try publish(#"{"a":1}"#).error == nil)
        let first = try #require(subscriber.next().first)
        _ = try publish("null")
        let withdrawn = try #require(subscriber.next().first)
        #expect(withdrawn.integer("generation") == first.integer("generation") + 1)
        // The bus forgets the name once the withdrawal has been read.
        try wait(for: "the name to be forgotten") {
            try client.post(level: .random(in: 0...1))
            return try client.state(of: "org.example.name").integer("generation") > withdrawn.integer("generation") + 1
        }
        _ = try publish(#"{"a":2}"#)
        let back = try #require(subscriber.next().first)
        #expect(back.integer("generation") > withdrawn.integer("generation") + 1)
        #expect(back.integer("changes") == 1)
    }

    @Test(arguments: [#""Subscribe","more":true"#, #""GetState""#])
    func `An empty list of aspects is refused`(method: String) throws {
        let client = try bus.client()
        try client.send(#"{"method":"org.reveille.Bus."# + method.dropFirst() + #","parameters":{"aspects":[]}}"#)
        let reply = try client.receive()
        #expect(reply.error == "org.varlink.service.InvalidParameter")
        #expect(reply.parameters["parameter"] == "aspects")
    }

    @Test(arguments: ["drop", "hold", "coalesce"])
    func `A policy for an aspect of the device that is not subscribed is accepted`(background: String) throws {
        let policies = #"[{"aspect":"battery","background":"\#(background)"}]"#
        _ = try bus.subscribe(#"{"aspects":["locale"],"policies":\#(policies)}"#)
    }
}
