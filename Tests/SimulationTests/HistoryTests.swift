// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSimulation
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
