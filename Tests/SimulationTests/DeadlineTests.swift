// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

/// `wakeAfter` in simulated time.
@Suite(.timeLimit(.minutes(10))) struct DeadlineTests {
    private let scene: BusScene
    private let subscriber: ScenePeer
    private let control: ScenePeer
    private let id: JSON

    init() throws {
        scene = try BusScene()
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
        "a time that is not positive or exceeds a year is rejected and holds nothing",
        arguments: [0, -1, .min, 31_536_000_001, 18_446_744_073_709_552, 18_446_744_073_709_709, .max])
    func invalidTimesAreRejected(wakeAfter: Int64) throws {
        let reply = try set("background", wakeAfter: wakeAfter)
        #expect(reply.error == "org.varlink.service.InvalidParameter")
        #expect(reply.parameters["parameter"] == "wakeAfter")
        #expect(try held() == [])
    }

    @Test("B35: a hold ends after its time and not before, up to the maximum", arguments: [1, 31_536_000_000])
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
}
