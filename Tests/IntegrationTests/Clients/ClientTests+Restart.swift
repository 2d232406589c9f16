// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

extension ClientTests {
    @Test(arguments: ClientLanguage.allCases) func crashLosesAndRepeatsNothing(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.subscribe(to: ["battery", "proximity"])
        try client.post(level: 0.5)
        #expect(try client.next()?.levelAndChanges == [0.5, 1])
        for step in 1...3 {
            try bus.crash()
            try client.post(level: 0.5 - Double(step) / 10)
            #expect(try client.next()?.levelAndChanges == [0.5 - Double(step) / 10, 1])
        }
        try client.post(proximity: "near")
        #expect(try client.next()?.aspect == "proximity")
    }

    @Test(
        "B214: a program that follows the subscriptions learns what ended with a bus that was killed",
        arguments: ClientLanguage.allCases)
    func followerSurvivesACrash(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.subscribe("one", to: ["battery"])
        try client.call("follow", ["of": "follower"])
        let first = try #require(try client.next("follower"))
        let list = first.objects("subscriptions")
        #expect(list.map { $0["name"] } == ["one"])
        #expect(first["ended"] == [])
        try client.call("enterBackground", ["of": "one"])
        #expect(try client.next("follower")?.objects("subscriptions").first?["held"] == ["app"])
        try bus.crash()
        #expect(try client.next("follower")?["ended"] == .array(list.compactMap { $0["subscription"] }))
        let follow = try client.begin("next", ["of": "follower"])
        try client.call("close")
        #expect(try client.result(of: follow) == .null)
    }

    @Test(
        "a tied value does not return over a newer one that lasts when the bus is back",
        arguments: ClientLanguage.separate)
    func newerValueStays(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        let names = ["org.example.tied", "org.example.other"]
        for name in names {
            try client.call("publish", ["arguments": [.string(name), ["by": 1]], "options": ["whileConnected": true]])
        }
        #expect(try bus.client().call("Publish", #"{"aspect":"org.example.tied","value":{"by":2}}"#).error == nil)
        #expect(bus.stop() == 0)
        try bus.restart()
        let other = try bus.client()
        try wait(for: "the client's other name") { try other.state(of: names[1])["value"] == ["by": 1] }
        #expect(try other.state(of: names[0])["value"] == ["by": 2])
        try client.call("close")
        try wait(for: "the end of the client's name") { try other.state(of: names[1])["value"] == .null }
        #expect(try other.state(of: names[0])["value"] == ["by": 2])
    }

    @Test(arguments: ClientLanguage.separate) func laterProcessResumesFromPositions(language: ClientLanguage) throws {
        let earlier = try ClientProgram(language, on: bus)
        try earlier.subscribe(to: ["battery", "proximity"])
        try earlier.post(level: 0.5)
        try earlier.post(proximity: "near")
        _ = try earlier.next(2)
        let positions = try earlier.positions()
        for level in [0.4, 0.3] { try earlier.post(level: level) }
        earlier.process.signal(SIGKILL)
        try bus.crash()
        // Any client understands the positions of any other.
        for other in ClientLanguage.separate {
            let later = try ClientProgram(other, on: bus)
            try later.subscribe(to: ["battery", "proximity"], ["resume": positions])
            #expect(try later.next()?.levelAndChanges == [0.3, 2])
            try later.post(proximity: "far")
            try later.post(proximity: "near")
            #expect(try later.next()?.aspect == "proximity")
        }
    }

    @Test(arguments: ClientLanguage.separate) func positionsAreThoseOfTheEventsTaken(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.subscribe(to: ["battery", "proximity"])
        try client.enterBackground()
        try client.post(level: 0.5)
        try client.post(proximity: "near")
        try client.enterForeground()
        #expect(try client.next()?.aspect == "battery")
        try client.subscribe("later", to: ["battery", "proximity"], ["resume": client.positions()])
        let event = try #require(try client.next("later"))
        #expect(event.aspect == "proximity")
        #expect(event.integer("changes") == 1)
    }

    @Test(arguments: ClientLanguage.separate)
    func anotherInstanceDeliversCurrentStates(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.subscribe(to: ["battery", "proximity"])
        try client.post(level: 0.5)
        #expect(try client.next()?.levelAndChanges == [0.5, 1])
        #expect(bus.stop() == 0)
        unlink(bus.socket + ".state.json")
        try bus.restart()
        let events = try client.next(2)
        #expect(events.map(\.aspect).sorted() == ["battery", "proximity"])
        #expect(events.map { $0.integer("changes") } == [0, 0])
        try client.post(level: 0.4)
        #expect(try client.next()?.levelAndChanges == [0.4, 1])
    }

    @Test(
        "B126: what a new instance of the bus no longer has is delivered after the wake, here and in later processes",
        arguments: ClientLanguage.separate)
    func withdrawalReachesASleeper(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.subscribe(to: ["org.example.*"])
        try client.call("publish", ["arguments": ["org.example.volume", ["x": 1]], "options": [:]])
        #expect(try client.next()?.state == ["x": 1])
        let before = try client.positions()
        try client.enterBackground()
        let next = try client.begin("next", ["of": "s"])
        #expect(bus.stop() == 0)
        unlink(bus.socket + ".state.json")
        try bus.restart()
        try bus.waitForSubscription(heldBy: ["app"])
        #expect(try client.positions() == before)
        for other in ClientLanguage.separate {
            let later = try ClientProgram(other, on: bus)
            try later.subscribe("later", to: ["org.example.*"], ["resume": client.positions()])
            #expect(try later.next("later")?["state"] == .null)
        }
        try client.enterForeground()
        let event = try client.result(of: next).objectValue
        #expect(event?.aspect == "org.example.volume" && event?["state"] == .null && event?.integer("changes") == 0)
        #expect(try client.positions().objectValue?["generations"] == [:])
    }

    @Test(
        "B53: a background survives a kill of the bus, and the wake delivers one event",
        arguments: ClientLanguage.allCases)
    func backgroundSurvivesAKill(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.subscribe(to: ["battery", "proximity"])
        try client.enterBackground()
        let next = try client.begin("next", ["of": "s"])
        try client.post(level: 0.5)
        for level in [0.4, 0.3] {
            try bus.crash()
            try bus.waitForSubscription(heldBy: ["app"])
            try client.post(level: level)
            try client.post(proximity: "near")
        }
        try client.enterForeground()
        let events = [try client.result(of: next).objectValue, try client.next()].compactMap(\.self)
        #expect(Set(events.map(\.aspect)) == ["battery", "proximity"])
        #expect(events.first { $0.aspect == "battery" }?.levelAndChanges == [0.3, 3])
        try client.post(proximity: "far")
        #expect(try client.next()?.aspect == "proximity")
    }

    @Test(arguments: ClientLanguage.separate) func droppedChangesStayDropped(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        let policies: JSON = ["battery": ["background": "drop"]]
        try client.subscribe(to: ["battery", "proximity"], ["policies": policies])
        // Dropped by the bus, and while the bus was away.
        try client.enterBackground()
        try client.post(level: 0.5)
        try client.enterForeground()
        try bus.crash()
        try client.enterBackground()
        try client.post(level: 0.4)
        let next = try client.begin("next", ["of": "s"])
        try bus.crash()
        try client.post(proximity: "near")
        try bus.waitForSubscription(heldBy: ["app"])
        try client.enterForeground()
        #expect(try client.result(of: next).objectValue?.aspect == "proximity")
        try client.post(level: 0.3)
        #expect(try client.next()?.levelAndChanges == [0.3, 1])
    }

    @Test(arguments: ClientLanguage.separate) func backgroundEndsInTimeAfterACrash(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.subscribe(to: ["battery"])
        try client.call("enterBackground", ["of": "s", "wakeAfter": 1_000])
        let next = try client.begin("next", ["of": "s"])
        try client.post(level: 0.5)
        try bus.crash()
        #expect(try client.result(of: next).objectValue?.levelAndChanges == [0.5, 1])
        try bus.waitForSubscription(heldBy: [])
    }

    @Test(arguments: ClientLanguage.separate)
    func backgroundAndForegroundWithoutABusApplyLater(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.subscribe(to: ["battery"])
        let next = try client.begin("next", ["of": "s"])
        try bus.waitUntilSaved()
        bus.kill()
        try client.enterBackground()
        try bus.restart()
        try bus.waitForSubscription(heldBy: ["app"])
        try bus.waitUntilSaved()
        bus.kill()
        try client.enterForeground()
        try bus.restart()
        try client.post(level: 0.5)
        #expect(try client.result(of: next).objectValue?.levelAndChanges == [0.5, 1])
        try bus.waitForSubscription(heldBy: [])
    }

    @Test("a tied state and a task return after a crash, although nobody reads", arguments: ClientLanguage.allCases)
    func tiedStateAndTaskReturn(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.call(
            "publish", ["arguments": ["org.example.a", ["x": 1]], "options": ["whileConnected": true]])
        try client.subscribe(to: ["battery"])
        try client.call("becomeInactive", ["of": "s"])
        try client.call("task", ["of": "s"])
        for value in [["x": 1], .null] as [JSON] {
            if value == .null { try client.call("withdraw", ["arguments": ["org.example.a"]]) }
            try bus.waitUntilSaved()
            bus.kill()
            // A client that notices the loss before there is another bus must try again.
            try wait(for: "the loss of the task") { try client.call("hasFailed") == true }
            try bus.restart()
            try wait(for: "the task and the state \(value)") {
                let subscription = try bus.subscription()
                let state = try bus.client().state(of: "org.example.a")["value"] ?? .null
                return subscription?.objects("tasks").first?["name"] == "work"
                    && subscription?["lifecycle"] == "inactive" && state == value
            }
        }
    }

    @Test(arguments: ClientLanguage.allCases) func subscriptionIsHeldAndWoken(language: ClientLanguage) throws {
        let (client, other) = (try ClientProgram(language, on: bus), try ClientProgram(language, on: bus))
        try client.subscribe(to: ["battery"])
        let id = try #require(try bus.subscription()?["subscription"])
        try other.call("hold", ["arguments": [id], "options": ["wakeAfter": 60_000]])
        try bus.waitForSubscription(heldBy: ["operator"])
        try other.call("wake", ["arguments": [id]])
        try bus.waitForSubscription(heldBy: [])
    }
}
