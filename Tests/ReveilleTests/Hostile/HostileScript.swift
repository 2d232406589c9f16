// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleSimulation
import ReveilleTesting
import ReveilleWire
import Varlink

/// The replies of a hostile or incompatible bus, reproducible by a seed.
struct HostileScript {
    private static let aspects = Aspect.device.map(\.name) + ["lifecycle", "weather", "", "battery\u{1b}[2J"] + names
    private static let names = HostileLife.names.map(\.name) + ["org.example.*", "org..a", "org.example.\u{e4}"]
    private static let integers = [
        "0", "1", "-1", "2147483648", "9007199254740993", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "1e300", "0.5", "null", #""7""#, "[]", "{}",
    ]
    private static let states = [
        #"{"state":"full","level":1,"plugged":true,"chargeStatus":"full","packs":[]}"#,
        #"{"state":"swapping","level":0.1,"plugged":null,"chargeStatus":"odd","packs":[]}"#,
        #"{"state":"full","level":7,"plugged":true,"chargeStatus":"full","packs":[]}"#,
        #"{"state":"near"}"#, #"{"state":""}"#, #"{"pose":"portrait","planar":"portrait"}"#,
        #"{"pose":"upside-in","planar":"faceUp"}"#, #"{"domains":[]}"#,
        #"{"domains":[{"domain":"a","path":"/a","keys":["k"],"opaque":false}]}"#,
        #"{"identifier":"C","languages":[],"numeric":"","time":"","monetary":"","measurement":""}"#,
        "null", "[]", "7", "{}", #"{"level":0.5,"isMuted":false}"#, #"{"a":{"a":{"a":[9223372036854775807,1e300]}}}"#,
    ]
    private static let errors = [
        "org.reveille.Bus.QuotaExceeded", "org.reveille.Bus.NoSuchSubscription", "org.reveille.Bus.Unheard",
        "org.varlink.service.InvalidParameter", "org.varlink.service.PermissionDenied",
        "org.varlink.service.MethodNotFound", "", "no dots",
    ]

    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    private mutating func chance(_ one: Int, of all: Int) -> Bool {
        Int.random(in: 0..<all, using: &random) < one
    }

    private mutating func pick(_ words: [String]) -> String {
        words.randomElement(using: &random) ?? ""
    }

    mutating func talk(_ peer: Conversation) {
        while let call = peer.next() {
            guard answer(call, peer) else { return }
        }
    }

    /// Answers a call in a random way.
    ///
    /// - Returns: Whether the connection continues.
    private mutating func answer(_ call: Call, _ peer: Conversation) -> Bool {
        if chance(1, of: 4) { peer.pause(.milliseconds(Int.random(in: 0...20, using: &random))) }
        // Most replies are nearly valid, in order to reach the deeper layers of the client.
        switch Int.random(in: 0..<24, using: &random) {
        case 0: return false
        case 1:
            peer.send([UInt8](reply(to: call).utf8).dropLast(5))
            return false
        case 2: return true
        case 3: peer.refuse(pick(Self.errors))
        case 4: peer.send((0..<64).map { _ in UInt8.random(in: 0...255, using: &random) } + [0])
        case 5: peer.send([0, 0])
        case 6: peer.send(String(repeating: #"{"parameters":"#, count: 5_000))
        case 7: peer.send(#"{"parameters":{"events":\#(String(repeating: "[", count: 20_000))"#)
        case 8:
            peer.send(reply(to: call))
            peer.send(reply(to: call))
        case 9...13:
            let bytes = Array(reply(to: call).utf8) + [0]
            let cut = Int.random(in: 0...bytes.count, using: &random)
            peer.send(bytes[..<cut])
            peer.pause(.milliseconds(2))
            peer.send(bytes[cut...])
        default: peer.send(reply(to: call))
        }
        guard call.member == "Subscribe" else { return true }
        for _ in 0..<Int.random(in: 0...4, using: &random) { peer.send(frame(events(), continues: chance(19, of: 20))) }
        return true
    }

    private mutating func reply(to call: Call) -> String {
        let body =
            switch call.member {
            case "Subscribe":
                #""subscription":"\#(pick(["0000000000000001", "", "é", "1"]))","instance":"\#(pick(["i", "j", ""]))","#
                    + #""resumed":\#(pick(["null", "true", "false", "false", "7"])),\#(events())"#
            case "GetState", "GetHistory": #""instance":"\#(pick(["i", "j"]))",\#(events())"#
            case "ListSubscriptions": #""subscriptions":[\#(subscription())]"#
            case "DescribeAspects": #""aspects":[\#(Self.aspects.map(source).joined(separator: ","))]"#
            case "Post", "Publish": #""generation":\#(pick(Self.integers)),"sequence":\#(pick(Self.integers))"#
            default: ""
            }
        return frame(chance(1, of: 20) ? "" : body, continues: chance(1, of: 20) != (call.mode == .more))
    }

    private func frame(_ body: String, continues: Bool) -> String {
        #"{"parameters":{\#(body)},"continues":\#(continues)}"#
    }

    private func source(_ aspect: String) -> String {
        #"{"aspect":\#(quoted(aspect)),"available":true,"monitored":false,"source":"s","reason":null}"#
    }

    private func quoted(_ text: String) -> String {
        String(decoding: JSON.string(text).bytes, as: UTF8.self)
    }

    private mutating func subscription() -> String {
        #"{"subscription":"1","name":null,"pid":\#(pick(Self.integers)),"uid":\#(pick(Self.integers)),"aspects":["#
            + #"\#(quoted(pick(Self.aspects)))],"held":["app","odd"],"pending":[{"aspect":"#
            + #"\#(quoted(pick(Self.aspects))),"changes":\#(pick(Self.integers))}],"events":1,"changes":1}"#
    }

    private mutating func events() -> String {
        let count = chance(1, of: 10) ? 200 : Int.random(in: 0...5, using: &random)
        let isHonest = chance(3, of: 4)
        return #""events":["# + (0..<count).map { _ in isHonest ? event() : strangeEvent() }.joined(separator: ",")
            + "]"
    }

    /// Returns an event of a valid form, with extreme numbers.
    private mutating func event() -> String {
        let counts = [0, 0, 1, 1, 2, 1_000, Int.max - 1, Int.max]
        var event = Event.battery(
            Double.random(in: 0...1, using: &random), counts.randomElement(using: &random) ?? 0,
            changes: counts.randomElement(using: &random) ?? 0)
        if chance(1, of: 3) { event.reading = .proximity(chance(1, of: 2) ? .near : .far) }
        if chance(1, of: 4) { event.reading = .orientation(.unknown) }
        if chance(1, of: 3) {
            let name = HostileLife.names.randomElement(using: &random) ?? "org.example.a"
            event.reading = .published(
                name, [nil, [:], ["level": 0.5], ["level": "loud"]].randomElement(using: &random) ?? nil)
        }
        event.droppedCount = counts.randomElement(using: &random) ?? 0
        return String(decoding: event.structure.bytes, as: UTF8.self)
    }

    private mutating func strangeEvent() -> String {
        let aspect = pick(Self.aspects)
        var fields = ["generation", "sequence", "changes", "firstChangedAt", "changedAt", "dropped"].map {
            #""\#($0)":\#(chance(4, of: 5) ? "1" : pick(Self.integers))"#
        }
        fields += [#""aspect":\#(quoted(aspect))"#, #""netChange":\#(pick(["true", "false", "null"]))"#]
        let field = chance(1, of: 2) ? aspect : "value"
        fields.append(#"\#(quoted(field)):\#(pick(Self.states))"#)
        if chance(1, of: 8) { fields.removeLast() }
        return "{" + fields.shuffled(using: &random).joined(separator: ",") + "}"
    }
}
