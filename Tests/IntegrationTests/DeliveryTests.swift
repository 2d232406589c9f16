// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Testing
import Varlink

/// The events that a subscriber receives from a real bus.
@Suite(.blocking, .timeLimit(.minutes(10))) struct DeliveryTests {
    private let bus: BusProcess
    private let control: RawClient

    init() throws {
        bus = try BusProcess()
        control = try bus.client()
    }

    @Test("B1: each change reaches a subscriber in the foreground") func eachChangeReachesTheForeground() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["battery"],"initial":true}"#)
        #expect(subscriber.initialEvents.map { $0.integer("changes") } == [0])
        for level in [0.5, 0.4, 0.3] {
            try control.post(level: level)
            let events = try subscriber.next()
            #expect(events.map(\.level) == [level])
            #expect(events.map { $0.integer("changes") } == [1])
        }
    }

    @Test("B2, B3: waking brings one event for each changed aspect") func wakingBringsOneEventForEachAspect() throws {
        let subscriber = try bus.subscribe()
        try subscriber.setState("background", on: control)
        for level in 1...5 { try control.post(level: Double(level) / 10) }
        try control.call("Post", #"{"proximity":{"state":"near"}}"#)
        #expect(subscriber.client.isSilent)
        try subscriber.setState("foreground", on: control)
        let events = try subscriber.next()
        #expect(events.map(\.aspect) == ["battery", "proximity"])
        #expect(events.map { $0.integer("changes") } == [5, 1])
        #expect(events.first?.level == 0.5)
    }

    @Test("B34: a start in the background is answered and then held") func startInTheBackgroundIsAnswered() throws {
        let subscriber = try bus.subscribe(#"{"state":"background","initial":true}"#)
        #expect(subscriber.initialEvents.count == 5)
        try control.post(level: 0.1)
        #expect(subscriber.client.isSilent)
        try subscriber.setState("foreground", on: control)
        #expect(try subscriber.next().map { $0.integer("changes") } == [1])
    }

    @Test("B30: a hold by another process is the operator's, and is cleared separately")
    func operatorHoldIsSeparate() throws {
        let subscriber = try bus.subscribe()
        try subscriber.setState("background", on: control)
        #expect(try bus.run(["background", subscriber.id]).code == 0)
        #expect(try control.subscriptions().first?["held"] == ["app", "operator"])
        try control.post(level: 0.1)
        #expect(try bus.run(["foreground", subscriber.id]).code == 0)
        #expect(subscriber.client.isSilent)
        try subscriber.setState("foreground", on: control)
        #expect(try subscriber.next().map(\.aspect) == ["battery"])
    }

    @Test("B35: a background with a deadline ends automatically") func backgroundEndsAtItsDeadline() throws {
        let subscriber = try bus.subscribe()
        try subscriber.setState("background", on: control, more: #","wakeAfter":30"#)
        try control.post(level: 0.1)
        #expect(try subscriber.next().map(\.level) == [0.1])
    }

    @Test("B37: no event is delivered in the background") func backgroundReceivesNothing() throws {
        let subscriber = try bus.subscribe()
        try subscriber.setState("background", on: control)
        for level in 0..<200 { try control.post(level: Double(level % 10) / 10) }
        #expect(subscriber.client.isSilent)
    }

    @Test("B50, B51, B54: a subscriber resumes at its positions, also after a restart")
    func positionsSurviveARestart() throws {
        try bus.client().post(level: 0.9)
        let first = try bus.subscribe(#"{"aspects":["battery"],"initial":true}"#)
        let seen = first.initialEvents.first?.integer("generation") ?? -1
        for level in [0.8, 0.7, 0.6, 0.5] { try bus.client().post(level: level) }
        #expect(bus.stop() == 0)
        try bus.restart()
        let resume = #""instance":"\#(first.instance)","resume":[{"aspect":"battery","generation":\#(seen)}]"#
        let second = try bus.subscribe(#"{"aspects":["battery"],\#(resume)}"#)
        #expect(second.first["resumed"] == true)
        #expect(second.initialEvents.map { $0.integer("changes") } == [4])
        #expect(second.initialEvents.map(\.level) == [0.5])
        let third = try bus.subscribe(#"{"aspects":["battery"],"instance":"other","resume":[]}"#)
        #expect(third.first["resumed"] == false)
        #expect(third.initialEvents.map { $0.integer("changes") } == [0])
    }

    @Test("B57: a killed subscriber leaves nothing behind") func killedSubscriberLeavesNothingBehind() throws {
        var subscriber: Subscriber? = try bus.subscribe(#"{"aspects":["orientation"]}"#)
        let name = try #require(subscriber).id
        try #require(subscriber).setState("background", on: control)
        subscriber = nil
        try wait(for: "the end of the subscription") { try control.subscriptions().isEmpty }
        let reply = try control.call("SetState", #"{"subscription":"\#(name)","state":"foreground"}"#)
        #expect(reply.error == "org.reveille.Bus.NoSuchSubscription")
    }

    @Test("B89: the list shows holds and pending changes") func listShowsHoldsAndPendingChanges() throws {
        let subscriber = try bus.subscribe(#"{"name":"status bar","aspects":["battery"]}"#)
        try subscriber.setState("background", on: control)
        try control.post(level: 0.2)
        try control.post(level: 0.1)
        let entry = try #require(try control.subscriptions().first)
        #expect(entry["name"] == "status bar")
        #expect(entry["held"] == ["app"])
        #expect(entry["pending"] == [["aspect": "battery", "changes": 2]])
        #expect(entry.integer("pid") == Int(getpid()))
    }

    @Test("B90: a stop delivers due events and ends the stream") func stopEndsTheStream() throws {
        let subscriber = try bus.subscribe()
        try control.post(level: 0.5)
        try control.post(level: 0.4)
        #expect(bus.stop() == 0)
        var levels: [Double?] = []
        while let text = try subscriber.client.receiveText() {
            levels += try Reply(parsing: Array(text.utf8)).parameters.events.map(\.level)
        }
        #expect(levels.last == 0.4)
    }
}
