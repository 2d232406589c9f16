// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
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

    @Test(
        "B68, V27, V28: an invalid parameter is named, and the connection stays open",
        arguments: [
            ("Subscribe", #"{"aspects":["weather"]}"#, "aspects"), ("GetState", #"{"aspects":[]}"#, "aspects"),
            ("SetState", #"{"subscription":"0","state":"asleep"}"#, "state"),
            ("SetState", #"{"state":"background"}"#, "subscription"),
            ("SetState", #"{"subscription":"0","state":"background","wakeAfter":0}"#, "wakeAfter"),
            ("Subscribe", #"{"state":"sideways"}"#, "state"), ("Subscribe", #"{"colour":"red"}"#, "colour"),
            ("Subscribe", #"{"policies":[{"aspect":"battery","background":"hold","limit":0}]}"#, "policies.limit"),
            ("Subscribe", #"{"policies":[{"aspect":"battery","background":"hold","limit":257}]}"#, "policies.limit"),
            ("Subscribe", #"{"policies":[{"aspect":"battery","background":"later"}]}"#, "policies.background"),
            ("Subscribe", #"{"resume":[{"aspect":"battery","generation":-1}]}"#, "resume.generation"),
            ("Subscribe", #"{"initial":"yes"}"#, "initial"), ("Post", "{}", "locale"),
            ("Subscribe", #"{"aspects":["org.example.*"],"policies":[{"aspect":"org.*"}]}"#, "policies.aspect"),
            ("Subscribe", #"{"policies":[{"aspect":"battery","interval":0}]}"#, "policies.interval"),
            ("GetState", #"{"aspects":["org.*.volume"]}"#, "aspects"),
            ("Publish", #"{"aspect":"battery","value":{}}"#, "aspect"),
            ("Publish", #"{"aspect":"org.example.*","value":{}}"#, "aspect"), ("Publish", "{}", "aspect"),
            ("Publish", #"{"aspect":"org.example.a","value":[]}"#, "value"),
            ("Publish", #"{"aspect":"org.example.a","whileConnected":1}"#, "whileConnected"),
            ("Post", #"{"proximity":{"state":"near"},"orientation":{"pose":"faceUp"}}"#, "orientation"),
            ("Post", #"{"proximity":{"state":"close"}}"#, "proximity.state"),
            ("Post", #"{"orientation":{"pose":"faceUp","planar":"faceDown"}}"#, "orientation.planar"),
            (
                "Post",
                #"{"battery":{"state":"full","level":1.5,"plugged":true,"chargeStatus":"full","packs":[]}}"#,
                "battery.level"
            ),
        ])
    func invalidParameterIsNamed(method: String, parameters: String, name: String) throws {
        let more = method == "Subscribe" ? #","more":true"# : ""
        try client.send(#"{"method":"org.reveille.Bus.\#(method)","parameters":\#(parameters)\#(more)}"#)
        let reply = try client.receive()
        #expect(reply.error == "org.varlink.service.InvalidParameter")
        #expect(reply.parameters["parameter"]?.stringValue == name)
        #expect(try client.call("GetState").error == nil)
    }

    @Test("B69, V21: Subscribe without a stream is refused") func subscribeNeedsAStream() throws {
        #expect(try bus.client().call("Subscribe").error == "org.varlink.service.ExpectedMore")
    }

    @Test(
        "V38: an unknown method or interface is reported",
        arguments: [
            ("org.reveille.Bus.Dance", "org.varlink.service.MethodNotFound"),
            ("com.example.Dance", "org.varlink.service.InterfaceNotFound"),
        ])
    func unknownMethodIsReported(method: String, error: String) throws {
        #expect(try bus.client().call(method).error == error)
    }

    @Test(
        "V1 to V12: a malformed frame ends only its own connection",
        arguments: [
            "{", "[]", "null", "", #"{"parameters":{}}"#, #"{"method":1}"#, #"{"method":"a.B","colour":1}"#,
            #"{"method":"a.B","more":1}"#, #"{"method":"a.B","more":true,"oneway":true}"#,
            String(repeating: "[", count: 40),
        ])
    func malformedFrameEndsItsConnection(frame: String) throws {
        let other = try bus.subscribe()
        try client.send(frame)
        #expect(try client.receiveText() == nil)
        try bus.client().post(level: 0.5)
        #expect(try other.next().map(\.level) == [0.5])
    }

    @Test("V34: a frame over the limit ends its connection") func frameOverTheLimitEndsItsConnection() throws {
        let bus = try BusProcess(configuration: "{ bus: { maxFrame: 2048 } }")
        let client = try bus.client()
        try client.send(bytes: [UInt8](repeating: UInt8(ascii: " "), count: 4_096))
        #expect(try client.receiveText() == nil)
        #expect(try bus.client().call("GetState").error == nil)
    }

    @Test("V1: bytes that are not UTF-8 end the connection") func invalidUTF8EndsTheConnection() throws {
        try client.send(bytes: Array(#"{"method":"\#u{41}"#.utf8) + [0xFF] + Array(#""}"#.utf8) + [0])
        #expect(try client.receiveText() == nil)
    }

    @Test("V14, V22, V23: pipelined calls are answered in order, and oneway calls are not answered")
    func pipelinedCallsAreAnsweredInOrder() throws {
        var calls: [UInt8] = []
        for index in 0..<200 {
            let oneway = #"{"method":"org.reveille.Bus.Nothing\#(index)","oneway":true}"#
            let plain = #"{"method":"org.reveille.Bus.Nothing\#(index)"}"#
            calls += Array(oneway.utf8) + [0] + Array(plain.utf8) + [0]
        }
        try client.send(bytes: calls)
        for index in 0..<200 {
            #expect(try client.receive().parameters["method"]?.stringValue == "org.reveille.Bus.Nothing\(index)")
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

    @Test("V24: an upgrade is refused, and the connection remains usable") func upgradeIsRefused() throws {
        try client.send(#"{"method":"org.reveille.Bus.GetState","upgrade":true}"#)
        #expect(try client.receive().error == "org.varlink.service.MethodNotImplemented")
        #expect(try client.call("GetState").error == nil)
    }

    @Test("a name over the limit is refused") func longNameIsRefused() throws {
        let name = String(repeating: "n", count: 129)
        try client.send(#"{"method":"org.reveille.Bus.Subscribe","parameters":{"name":"\#(name)"},"more":true}"#)
        #expect(try client.receive().parameters["parameter"] == "name")
    }
}
