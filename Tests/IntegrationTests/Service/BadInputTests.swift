// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// Replies of a bus to invalid input, which affects no other connection.
@Suite(.blocking, .timeLimit(.minutes(10))) struct BadInputTests {
    private let bus: BusProcess
    private let client: RawClient

    init() throws {
        bus = try BusProcess()
        client = try bus.client()
    }

    /// A call of each kind; the checks of each method have tests without a bus.
    private static let invalidCalls: [(String, String, String)] = [
        ("Subscribe", #"{"policies":[{"aspect":"battery","background":"hold","limit":257}]}"#, "policies.limit"),
        ("Subscribe", #"{"colour":"red"}"#, "colour"), ("SetState", #"{"state":"background"}"#, "subscription"),
        ("GetState", #"{"aspects":["org.*.volume"]}"#, "aspects"),
        ("Publish", #"{"aspect":"org.example.a","value":[]}"#, "value"),
        ("Post", #"{"orientation":{"pose":"faceUp","planar":"faceDown"}}"#, "orientation.planar"),
    ]

    @Test("B68, V27, V28: an invalid parameter is named, and the connection stays open") func invalidParameterIsNamed()
        throws
    {
        for (method, parameters, name) in Self.invalidCalls {
            let more = method == "Subscribe" ? #","more":true"# : ""
            try client.send(#"{"method":"org.reveille.Bus.\#(method)","parameters":\#(parameters)\#(more)}"#)
            let reply = try client.receive()
            #expect(reply.error == "org.varlink.service.InvalidParameter", "\(parameters)")
            #expect(reply.parameters["parameter"]?.stringValue == name)
            #expect(try client.call("GetState").error == nil)
        }
    }

    @Test("B69, V21: Subscribe without a stream is refused") func subscribeNeedsAStream() throws {
        #expect(try bus.client().call("Subscribe").error == "org.varlink.service.ExpectedMore")
    }

    private static let malformedFrames: [String] = [
        "{", "[]", "null", "", #"{"parameters":{}}"#, #"{"method":1}"#, #"{"method":"a.B","colour":1}"#,
        #"{"method":"a.B","more":1}"#, #"{"method":"a.B","more":true,"oneway":true}"#,
        String(repeating: "[", count: 40),
    ]

    @Test("V1 to V12, V35: a malformed frame ends only its own connection") func malformedFrameEndsItsConnection()
        throws
    {
        let other = try bus.subscribe()
        for (index, frame) in Self.malformedFrames.enumerated() {
            let client = try bus.client()
            try client.send(frame)
            #expect(try client.receiveText() == nil, "\(frame)")
            let level = Double(index) / 100
            try bus.client().post(level: level)
            #expect(try other.next().map(\.level) == [level])
        }
    }

    @Test("V19: calls behind a stream wait without affecting others") func callsBehindAStreamWait() throws {
        let subscriber = try bus.subscribe()
        for _ in 0..<100 { try subscriber.client.send(#"{"method":"org.reveille.Bus.GetState"}"#) }
        try bus.client().post(level: 0.5)
        #expect(try subscriber.next().map(\.level) == [0.5])
        #expect(subscriber.client.isSilent)
    }

    @Test("a call is executed even if its sender disconnects") func callOfAClosedConnectionIsExecuted() throws {
        try bus.client().send(
            #"{"method":"org.reveille.Bus.Post","parameters":{"proximity":{"state":"near"}},"oneway":true}"#)
        try wait(for: "the call") { try client.state(of: "proximity")["proximity"] == ["state": "near"] }
    }

    @Test("a half-closed stream continues until its peer disconnects") func halfClosedStreamContinues() throws {
        let subscriber = try bus.subscribe()
        subscriber.client.finishSending()
        try bus.client().post(level: 0.5)
        #expect(try subscriber.next().map(\.level) == [0.5])
    }

    @Test func `The generation of an unknown name is the sequence of the bus`() throws {
        for level in [0.25, 0.5] {
            try client.post(level: level)
            let unknown = try client.state(of: "org.example.unknown")
            #expect(unknown.integer("generation") == unknown.integer("sequence"))
            #expect(try unknown.integer("sequence") == client.state(of: "battery").integer("sequence"))
        }
    }
}
