// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: Node.isThere || Node.isRequired, "no Node.js"))
struct ClientTests {
    let bus: BusProcess

    init() throws {
        bus = try BusProcess()
    }

    @Test(arguments: ClientLanguage.allCases) func readsStates(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.post(level: 0.25)
        let event = try #require(try client.call("get", ["arguments": ["battery"]]).objectValue)
        #expect(event.aspect == "battery")
        #expect(event.levelAndChanges == [0.25, 0])
        let states = try client.call("getAll", ["arguments": ["battery", "proximity"]]).arrayValue ?? []
        #expect(states.compactMap { $0.objectValue?.aspect } == ["battery", "proximity"])
        let aspects = try client.call("aspects").arrayValue ?? []
        #expect(aspects.contains { $0.objectValue?.aspect == "proximity" })
    }

    @Test(arguments: ClientLanguage.separate) func readsTheDescriptionAndCapabilities(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        let info = try #require(try client.call("info").objectValue)
        #expect(info["model"] == .null)
        #expect(info.integer("processors") == 1)
        let answers =
            try client.call("checkAll", ["arguments": ["battery", "multitasking", "weather"]]).arrayValue ?? []
        #expect(answers.map { $0.objectValue?["answer"] } == ["no", "yes", "unknown"])
        let battery = try #require(try client.call("check", ["arguments": ["battery"]]).objectValue)
        #expect(battery["answer"] == "no" && battery["reason"]?.stringValue?.isEmpty == false)
    }

    @Test("B162: on an older bus a capability is unknown", arguments: ClientLanguage.separate)
    func capabilityIsUnknownOnAnOlderBus(language: ClientLanguage) throws {
        let older = try ScriptedBus()
        let (client, calls) = try older.client(language)
        let checking = try client.begin("check", ["arguments": ["battery"]])
        _ = try calls.receiveText(seconds: 30)
        try calls.send(
            #"{"error":"org.varlink.service.InterfaceNotFound","parameters":{"interface":"org.reveille.Device"}}"#)
        #expect(try client.result(of: checking).objectValue?["answer"] == "unknown")
    }

    @Test(arguments: ClientLanguage.separate) func deliversTheCurrentStateIfAsked(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.post(level: 0.25)
        try client.subscribe(to: ["battery"], ["initial": true])
        #expect(try client.next()?.levelAndChanges == [0.25, 0])
        try client.subscribe("other", to: ["battery"])
        try client.post(level: 0.3)
        #expect(try client.next("other")?.levelAndChanges == [0.3, 1])
    }

    @Test(arguments: ClientLanguage.separate) func busMergesWhatIsNotRead(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.subscribe(to: ["battery"])
        for step in 1...100 { try client.post(level: Double(step) / 100) }
        let events = try client.next(2)
        #expect(events.map(\.levelAndChanges) == [[0.01, 1], [1, 99]])
    }

    @Test(arguments: ClientLanguage.allCases)
    func eventThatWasNotTakenIsPartOfTheOneOnWake(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.subscribe(to: ["battery", "proximity"])
        // One reply is in the socket, and one of its events is taken.
        try client.enterBackground()
        try client.post(level: 0.5)
        try client.post(proximity: "near")
        try client.enterForeground()
        #expect(try client.next()?.aspect == "battery")
        try client.post(level: 0.4)
        try client.enterBackground()
        let next = try client.begin("next", ["of": "s"])
        for level in [0.3, 0.5] { try client.post(level: level) }
        try client.post(proximity: "far")
        try client.enterForeground()
        let events = [try client.result(of: next).objectValue, try client.next()].compactMap(\.self)
        // The battery is back at the level that was taken, the proximity sensor at its initial state is not known.
        #expect(Set(events.map(\.aspect)) == ["battery", "proximity"])
        #expect(events.first { $0.aspect == "battery" }?.levelAndChanges == [0.5, 3])
        #expect(events.first { $0.aspect == "battery" }?["netChange"] == false)
        #expect(events.first { $0.aspect == "proximity" }?.integer("changes") == 2)
        try client.post(level: 0.1)
        #expect(try client.next()?.levelAndChanges == [0.1, 1])
    }

    @Test(arguments: ClientLanguage.separate) func policiesApply(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        let policies: JSON = [
            "battery": ["background": "hold", "limit": 2], "proximity": ["background": "immediate"],
            "orientation": ["background": "drop"],
        ]
        let options: JSONObject = ["policies": policies, "background": true]
        try client.subscribe(to: ["battery", "proximity", "orientation"], options)
        for level in [0.5, 0.4, 0.3] { try client.post(level: level) }
        try client.call("post", ["arguments": ["orientation", ["pose": "faceUp"]]])
        try client.post(proximity: "near")
        #expect(try client.next()?.aspect == "proximity")
        try client.enterForeground()
        let events = try client.next(2)
        #expect(events.map(\.levelAndChanges) == [[0.4, 1], [0.3, 1]])
        #expect(events[0].integer("dropped") == 1)
        try client.post(proximity: "far")
        #expect(try client.next()?.aspect == "proximity")
    }

    @Test(arguments: ClientLanguage.allCases) func closeEndsTheSubscriptionOnTheBus(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.subscribe("one", to: ["battery"])
        try client.subscribe("two", to: ["battery"])
        let next = try client.begin("next", ["of": "one"])
        try client.call("close", ["of": "one"])
        #expect(try client.result(of: next) == .null, "a pending call ends")
        for action in ["enterBackground", "enterForeground", "becomeInactive"] {
            let failure = #expect(throws: ClientProgram.Failure.self) { try client.call(action, ["of": "one"]) }
            #expect(failure?.code == "closed" && failure?.message == "SetState battery: the subscription is closed")
        }
        try wait(for: "the end") { try bus.subscription(named: "one") == nil }
        #expect(try bus.subscription(named: "two") != nil)
        try client.call("close")
        try wait(for: "the end") { try bus.subscription(named: "two") == nil }
        #expect(try client.next("two") == nil)
        for action in ["refresh", "enterBackground"] {
            let failure = #expect(throws: ClientProgram.Failure.self) { try client.call(action) }
            #expect(failure?.code == "closed" && failure?.message.hasSuffix("the bus object is closed") == true)
        }
        for action in ["demand", "states", "follow"] {
            try client.call(action, ["of": "iterator", "arguments": ["org.example.a"]])
            let failure = #expect(throws: ClientProgram.Failure.self) { try client.next("iterator") }
            #expect(failure?.code == "closed")
        }
        #expect(client.errors == "")
    }

    @Test(arguments: ClientLanguage.separate) func errorsNameCallSubjectAndReason(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        let failure = #expect(throws: ClientProgram.Failure.self) {
            try client.call("get", ["arguments": ["weather"]])
        }
        #expect(
            failure?.message.hasPrefix("GetState weather: InvalidParameter (parameter: aspects): an aspect must be ")
                == true)
        // A bus of a later version may have it.
        #expect(failure?.code == "notSupported" && failure?.name == "org.varlink.service.InvalidParameter")
        #expect(failure?.parameters == ["parameter": "aspects", "reason": "unknown"])
        let limit = #expect(throws: ClientProgram.Failure.self) {
            try client.call("history", ["arguments": ["battery"], "options": ["limit": 0]])
        }
        #expect(limit?.message == "GetHistory battery: InvalidParameter (parameter: limit): limit must be 1 or more")
        #expect(limit?.code == "invalidArgument")
        #expect(throws: ClientProgram.Failure.self) { try client.subscribe(to: ["weather"]) }
        #expect(throws: ClientProgram.Failure.self) { try client.subscribe(to: ["battery"], ["resume": ["a": 1]]) }
        // The connection is as before.
        try client.post(level: 0.5)
    }

    @Test("a client that waits connects once there is a bus", arguments: ClientLanguage.allCases)
    func clientWaitsForABus(language: ClientLanguage) throws {
        #expect(bus.stop() == 0)
        let client = try ClientProgram(language, in: bus.directory)
        let connected = try client.begin("connect", ["address": .string(bus.address), "wait": true])
        try bus.restart()
        _ = try client.result(of: connected)
        try client.post(level: 0.5)
    }

    @Test(arguments: ClientLanguage.allCases) func missingBusIsAnErrorWithTheAddress(language: ClientLanguage) throws {
        let directory = try TemporaryDirectory()
        let client = try ClientProgram(language, in: directory, environment: ["REVEILLE_ADDRESS": "unix:/nowhere/bus"])
        for address in [nil, "unix:\(directory.path)/bus"] {
            let failure = #expect(throws: ClientProgram.Failure.self) {
                try client.call("connect", ["address": address.map(JSON.string) ?? .null])
            }
            let place = address ?? "unix:/nowhere/bus"
            #expect(failure?.message == "there is no bus at \(place); is 'reveille serve' running?")
            #expect(failure?.code == "noBus" && failure?.name == nil)
        }
        let failure = #expect(throws: ClientProgram.Failure.self) { try client.call("connect", ["address": "tcp:1"]) }
        #expect(failure?.message.contains("tcp:1") == true)
    }
}

/// The interpreter that `Scripts/setup test` installs.
enum Node {
    static let isThere = (Environment.all["PATH"] ?? "").split(separator: ":").contains {
        access($0 + "/node", X_OK) == 0
    }
    /// Whether a missing interpreter is a failure, as in continuous integration.
    static var isRequired: Bool { PythonClient.isRequired }
}
