// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSimulation
import ReveilleWire
import Testing
import Varlink

@Suite(.timeLimit(.minutes(10))) struct HistoryTests {
    private let scene: BusScene
    private let owner: ScenePeer

    init() throws {
        scene = try BusScene(limits: "{ history: 3 }")
        owner = scene.connect(uid: geteuid())
    }

    private func post(_ states: String...) throws {
        for state in states { try owner.call("Post", ["proximity": ["state": .string(state)]]) }
    }

    private func generations(_ parameters: JSONObject) throws -> [Int64] {
        let reply = try scene.connect().call("GetHistory", parameters)
        #expect(reply.error == nil, "\(reply)")
        let events = reply.parameters["events"]?.arrayValue ?? []
        return events.compactMap { $0.objectValue?["generation"]?.integerValue }
    }

    @Test("the newest changes are returned, up to the limit, in the instance of the bus")
    func newestChangesAreReturned() throws {
        try post("near", "far", "near", "far")
        for limit in [nil, JSON.null, 3, 4, .integer(.max)] {
            var parameters: JSONObject = ["aspect": "proximity"]
            parameters["limit"] = limit
            #expect(try generations(parameters) == [2, 3, 4], "\(parameters)")
        }
        #expect(try generations(["aspect": "proximity", "limit": 2]) == [3, 4])
        let (history, state) = (try owner.call("GetHistory", ["aspect": "proximity"]), try owner.call("GetState"))
        #expect(history.parameters["instance"] == state.parameters["instance"])
    }

    @Test("a reply that nobody reads keeps no change: once read, it lacks those that were dropped meanwhile")
    func unreadChangesAreNotKept() throws {
        let scene = try BusScene(owner: 0)
        let (owner, reader) = (scene.connect(uid: 0), scene.connect(room: 4_096))
        func publish(_ numbers: ClosedRange<Int>, _ text: String) throws {
            for number in numbers {
                try owner.publish("org.example.x", ["n": .integer(Int64(number)), "text": .string(text)])
            }
        }
        try publish(1...200, String(repeating: "x", count: 300))
        reader.send("GetHistory", ["aspect": "org.example.x"])
        scene.turn()
        try publish(201...220, String(repeating: "x", count: 4_000))
        let reply = try #require(try reader.reply())
        let events = try [Event](reply.parameters, noting: UnknownWords())
        #expect(events.count > 1 && events.count < 200, "\(events.count) events")
        #expect(events.allSatisfy { ($0.published?.bytes?.count ?? 0) < 400 })
    }

    @Test("a log that nobody reads is not kept: once read, it lacks what was cut meanwhile, and what came later")
    func unreadLogIsNotKept() throws {
        let scene = try BusScene(owner: 0)
        let (owner, reader) = (scene.connect(uid: 0), scene.connect(room: 4_096))
        for number in 1...250 { try owner.publish("org.example.x", ["n": .integer(Int64(number))]) }
        reader.send("GetLog")
        scene.turn()
        for number in 1...150 {
            let text = String(repeating: "x", count: 4_000)
            try owner.publish("org.example.y", ["n": .integer(Int64(number)), "text": .string(text)])
            if number % 10 == 0 { try scene.connect().call("GetLog") }
        }
        let lines = try [LogLine](#require(try reader.reply()).parameters, noting: UnknownWords())
        #expect(lines.count > 100 && lines.count < 250, "\(lines.count) lines")
        #expect(!lines.contains { $0.aspect == "org.example.y" })
    }

    @Test("a sensor is not read for its history")
    func sensorIsNotRead() throws {
        let battery = try #require(scene.bus.watchers.first { $0.aspect == .battery })
        let before = battery.readings
        #expect(try generations(["aspect": "battery"]) == [])
        scene.change(.battery)
        scene.pass(.seconds(1))
        #expect(try generations(["aspect": "battery"]) == [])
        #expect(battery.readings == before)
        try owner.call("GetState", ["aspects": ["battery"]])
        #expect(battery.readings > before, "it can be read")
    }
}
