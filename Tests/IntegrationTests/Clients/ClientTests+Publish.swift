// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

extension ClientTests {
    private func publish(_ client: ClientProgram, _ name: String, _ value: JSON, _ options: JSONObject = [:]) throws {
        try client.call("publish", ["arguments": [.string(name), value], "options": .object(options)])
    }
    @Test(arguments: ClientLanguage.allCases) func publishedStateReachesEveryClient(language: ClientLanguage) throws {
        let publisher = try ClientProgram(language, on: bus)
        for other in ClientLanguage.allCases {
            let subscriber = try ClientProgram(other, on: bus)
            try subscriber.subscribe(to: ["org.example.volume"])
            try publish(publisher, "org.example.volume", ["by": .string(other.rawValue), "level": 0.4])
            let event = try #require(try subscriber.next())
            #expect(event.aspect == "org.example.volume")
            #expect(event.state == ["by": .string(other.rawValue), "level": 0.4])
            #expect(event.integer("changes") == 1)
            // The state is equal.
            try publish(publisher, "org.example.volume", ["by": .string(other.rawValue), "level": 0.4])
            let state = try subscriber.call("get", ["arguments": ["org.example.volume"]]).objectValue
            #expect(state?.integer("generation") == event.integer("generation"))
        }
        let history = try publisher.call("history", ["arguments": ["org.example.volume"], "options": ["limit": 2]])
        #expect((history.arrayValue ?? []).compactMap { $0.objectValue?.state?["by"] } == ["asyncio", "node"])
    }

    @Test(
        "the newest tied value for which there was no bus is published when it is back",
        arguments: ClientLanguage.allCases)
    func newestValueIsPublished(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        let (name, late, untied) = ("org.example.a", "org.example.late", "org.example.untied")
        for name in [name, untied] { try publish(client, name, ["x": 1], ["whileConnected": true]) }
        bus.kill()
        for (name, value) in [(name, 2), (name, 3), (late, 4), (untied, 5)] as [(String, Int64)] {
            #expect(throws: ClientProgram.Failure.self) {
                try publish(client, name, ["x": .integer(value)], ["whileConnected": .bool(name != untied)])
            }
        }
        try bus.restart()
        func value(_ name: String) throws -> JSON? { try bus.client().state(of: name)["value"] }
        try wait(for: "the newest states") { try value(name) == ["x": 3] && value(late) == ["x": 4] }
        #expect(try value(untied) == .null)
        // A refused value changes nothing.
        #expect(throws: ClientProgram.Failure.self) {
            let long = JSON.string(String(repeating: "a", count: 5_000))
            try publish(client, name, ["long": long], ["whileConnected": true])
        }
        bus.kill()
        try bus.restart()
        try wait(for: "the accepted state") { try value(name) == ["x": 3] }
    }

    @Test("B190: the state of a publisher that ends is withdrawn", arguments: ClientLanguage.separate)
    func stateEndsWithItsPublisher(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.subscribe(to: ["org.example.*"])
        for isKilled in [false, true] {
            let publisher = try ClientProgram(language, on: bus)
            try publish(publisher, "org.example.a", ["on": true], ["whileConnected": true])
            #expect(try client.next()?.state == ["on": true])
            if isKilled { publisher.process.signal(SIGKILL) } else { try publisher.call("close") }
            #expect(try client.next()?["state"] == .null)
        }
    }

    @Test(arguments: ClientLanguage.separate) func resumptionDeliversNamesThatCameAndWent(
        language: ClientLanguage
    ) throws {
        let client = try ClientProgram(language, on: bus)
        try client.subscribe(to: ["org.example.*"])
        try publish(client, "org.example.a", [:])
        try publish(client, "org.example.b", [:])
        #expect(try client.next(2).map(\.aspect) == ["org.example.a", "org.example.b"])
        try client.call("withdraw", ["arguments": ["org.example.b"]])
        _ = try client.next()
        let positions = try client.positions()
        try client.call("close", ["of": "s"])
        // One goes, one comes and goes, and one comes.
        try client.call("withdraw", ["arguments": ["org.example.a"]])
        try publish(client, "org.example.c", [:])
        try client.call("withdraw", ["arguments": ["org.example.c"]])
        try publish(client, "org.example.d", [:])
        try client.subscribe(to: ["org.example.*"], ["resume": positions])
        let events = try client.next(2)
        #expect(Set(events.map(\.aspect)) == ["org.example.a", "org.example.d"])
        #expect(events.first { $0.aspect == "org.example.a" }?["state"] == .null)
        try publish(client, "org.example.e", [:])
        #expect(try client.next()?.aspect == "org.example.e", "nothing else was delivered")
    }

    @Test(arguments: ClientLanguage.separate) func paceMergesWhatComesSooner(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.subscribe(to: ["org.example.*"], ["policies": ["org.example.*": ["interval": 3_600_000]]])
        for step in 1...3 { try publish(client, "org.example.a", ["step": .integer(Int64(step))]) }
        #expect(try client.next()?.integer("changes") == 1)
        let pending: JSON = [["aspect": "org.example.a", "changes": 2]]
        try wait(for: "the event to be read") { try bus.subscription()?["held"] == [] }
        #expect(try bus.subscription()?["pending"] == pending)
    }

    @Test(
        "B218: a publisher that asks who needs its name goes on with the next bus", arguments: ClientLanguage.allCases)
    func demandSurvivesACrash(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        func next() throws -> JSON { try client.call("next", ["of": "demand"]) }
        let names: JSON = ["org.example.a", "org.example.b", "org.other.*"]
        try client.call("demand", ["of": "demand", "arguments": names])
        #expect(try next() == [])
        let subscriber = try bus.subscribe(#"{"aspects":["org.example.*"]}"#)
        #expect(try next() == ["org.example.a", "org.example.b"])
        let other = try bus.subscribe(#"{"aspects":["org.other.c"]}"#)
        #expect(try next() == names)
        try subscriber.setState("background", on: bus.client())
        #expect(try next() == ["org.other.*"])
        try other.setState("background", on: bus.client())
        #expect(try next() == [])
        try bus.crash()
        let later = try bus.subscribe(#"{"aspects":["org.example.a"]}"#)
        #expect(try next() == ["org.example.a"])
        try later.setState("background", on: bus.client())
        #expect(try next() == [])
        let last = try client.begin("next", ["of": "demand"])
        try client.call("close")
        #expect(try client.result(of: last) == .null)
        #expect(throws: ClientProgram.Failure.self) {
            let other = try ClientProgram(language, on: bus)
            try other.call("demand", ["of": "demand", "arguments": ["battery"]])
            try other.call("next", ["of": "demand"])
        }
    }
}
