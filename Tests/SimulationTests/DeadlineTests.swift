// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

/// `wakeAfter`, in made-up time.
@Suite(.timeLimit(.minutes(10))) struct DeadlineTests {
    private let scene: BrokerScene
    private let subscriber: ScenePeer
    private let control: ScenePeer
    private let id: JSON

    init() throws {
        scene = try BrokerScene()
        subscriber = scene.connect()
        control = scene.connect()
        id = try subscriber.call("Subscribe", ["aspects": ["locale"]], more: true).parameters["subscription"] ?? ""
    }

    @discardableResult
    private func set(_ state: String, wakeAfter: Int64? = nil) throws -> Reply {
        var parameters: JSONObject = ["subscription": id, "state": .string(state)]
        if let wakeAfter { parameters["wakeAfter"] = .integer(wakeAfter) }
        return try control.call("SetState", parameters)
    }

    private func held() throws -> JSON? {
        try control.call("ListSubscriptions").parameters["subscriptions"]?.arrayValue?.first?.objectValue?["held"]
    }

    @Test(
        "a time that is no time, or longer than a year, is refused and holds nobody",
        arguments: [0, -1, .min, 31_536_000_001, 18_446_744_073_709_552, 18_446_744_073_709_709, .max])
    func impossibleTimesAreRefused(wakeAfter: Int64) throws {
        let reply = try set("background", wakeAfter: wakeAfter)
        #expect(reply.error == "org.varlink.service.InvalidParameter")
        #expect(reply.parameters == ["parameter": "wakeAfter"])
        #expect(try held() == [])
    }

    @Test("the longest time is taken, and the hold ends after it and not before", arguments: [1, 31_536_000_000])
    func holdEndsAtItsTime(milliseconds: Int64) throws {
        #expect(try set("background", wakeAfter: milliseconds).error == nil)
        let start = scene.loop.wallClock
        scene.change(.locale)
        scene.loop.advance(.milliseconds(milliseconds) - .microseconds(1_000))
        #expect(try milliseconds == 1 || subscriber.next() == nil)
        scene.loop.advance(.milliseconds(1))
        #expect(try subscriber.next()?.parameters["events"]?.arrayValue?.count == 1)
        #expect(scene.loop.wallClock - start >= milliseconds * 1_000)
    }

    @Test("a background that is set again without a time has none any more")
    func laterBackgroundRemovesTheTime() throws {
        try set("background", wakeAfter: 1_000)
        #expect(try set("background").error == nil)
        scene.pass(.seconds(10))
        #expect(try held() == ["app"])
    }

    @Test("a background that is set again with a time counts anew") func laterTimeCountsAnew() throws {
        try set("background", wakeAfter: 1_000)
        scene.pass(.milliseconds(900))
        try set("background", wakeAfter: 1_000)
        scene.pass(.milliseconds(900))
        #expect(try held() == ["app"])
        scene.pass(.milliseconds(200))
        #expect(try held() == [])
    }
}
