// SPDX-License-Identifier: Apache-2.0

import ReveilleTesting
import Testing
import Varlink

/// What a client does with several events, or with several subscriptions, at once.
extension ClientTests {
    private func batch(_ client: ClientProgram) throws -> [JSONObject] {
        try client.call("batch", ["of": "s"]).arrayValue?.compactMap(\.objectValue) ?? []
    }

    @Test("the events of a wake come as one batch", arguments: ClientLanguage.allCases)
    func wakeIsOneBatch(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.subscribe(to: ["battery", "proximity"], ["initial": true])
        #expect(try Set(batch(client).map(\.aspect)) == ["battery", "proximity"])
        try client.enterBackground()
        for level in [0.5, 0.4] { try client.post(level: level) }
        try client.post(proximity: "near")
        let next = try client.begin("batch", ["of": "s"])
        try client.enterForeground()
        let events = try client.result(of: next).arrayValue?.compactMap(\.objectValue) ?? []
        #expect(events.map(\.aspect) == ["battery", "proximity"])
        #expect(events.map { $0.integer("changes") } == [2, 1])
        #expect(
            try client.positions().objectValue?["generations"]
                == .object(
                    JSONObject(members: events.map { .init(name: $0.aspect, value: $0["generation"] ?? .null) })))
        try client.post(level: 0.3)
        #expect(try batch(client).map(\.levelAndChanges) == [[0.3, 1]])
        try client.call("close", ["of": "s"])
        #expect(try batch(client).isEmpty)
    }

    @Test("a client sends all of its subscriptions to the background", arguments: ClientLanguage.allCases)
    func backgroundOfAll(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        for name in ["one", "two"] { try client.subscribe(name, to: ["battery"]) }
        try client.call("enterBackground", ["wakeAfter": 60_000])
        for name in ["one", "two"] { try bus.waitForSubscription(name, heldBy: ["app"]) }
        try client.call("becomeInactive")
        for name in ["one", "two"] { try bus.waitForSubscription(name, heldBy: []) }
        #expect(try bus.subscription(named: "two")?["lifecycle"] == "inactive")
        try client.call("enterForeground")
        #expect(try bus.subscription(named: "two")?["lifecycle"] != "inactive")
    }

    @Test("a client tells whether its bus is reachable, and each change", arguments: ClientLanguage.allCases)
    func connectionStates(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        func next() throws -> JSON { try client.call("next", ["of": "states"]) }
        try client.call("states", ["of": "states"])
        #expect(try next() == true)
        bus.kill()
        #expect(try next() == false)
        try bus.restart()
        #expect(try next() == true)
        let last = try client.begin("next", ["of": "states"])
        try client.call("close")
        #expect(try client.result(of: last) == .null)
    }

    @Test(
        "a posted state keeps what is not given, and has a generation and a sequence",
        arguments: ClientLanguage.separate)
    func postedStateKeepsWhatIsNotGiven(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.post(level: 0.5)
        let revision = try client.call("post", ["arguments": ["battery", ["level": 0.4]]]).objectValue
        let event = try #require(try client.call("get", ["arguments": ["battery"]]).objectValue)
        #expect(event.state?["level"] == 0.4 && event.state?["chargeStatus"] == "discharging")
        #expect(revision?["generation"] == event["generation"] && revision?["sequence"] == event["sequence"])
        let published = try client.call("publish", ["arguments": ["org.example.a", [:]], "options": [:]]).objectValue
        #expect(published.map { $0.integer("sequence") > event.integer("sequence") } == true)
        #expect(try client.call("withdraw", ["arguments": ["org.example.a"]]).objectValue?["generation"] != nil)
    }

    @Test("a subscription names its aspects, and a wrong one is named", arguments: ClientLanguage.separate)
    func subscriptionNamesItsAspects(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        for (aspects, wrong) in [
            ([], language == .node ? "[]" : "()"), ([["a"]], language == .node ? #"["a"]"# : "['a']"), ([5], "5"),
        ] as [(JSON, String)] {
            for action in ["subscribe", "getAll", "demand"] where language == .python || action != "demand" {
                let failure = #expect(throws: ClientProgram.Failure.self) {
                    try client.call(
                        action, ["of": "s", "aspects": aspects, "arguments": aspects, "options": ["initial": true]])
                }
                #expect(failure?.code == "invalidArgument" && failure?.name == nil)
                #expect(failure?.message.hasSuffix(" must be one or more strings, not \(wrong)") == true)
            }
        }
    }
}
