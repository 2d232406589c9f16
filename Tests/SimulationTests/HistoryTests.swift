// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

/// GetHistory, with the real bus in simulated time.
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

    @Test("a published name has a history, until it is forgotten")
    func nameHasAHistory() throws {
        let name: JSON = "org.example.volume"
        #expect(try generations(["aspect": name]) == [])
        for value in [JSON.object([:]), ["level": 1], ["level": 1], ["level": 2]] {
            #expect(try owner.call("Publish", ["aspect": name, "value": value]).error == nil)
        }
        #expect(try generations(["aspect": name]) == [1, 2, 3])
        try owner.call("Publish", ["aspect": name])
        #expect(try generations(["aspect": name]) == [])
    }

    @Test(
        "an invalid parameter is named, and the connection stays open",
        arguments: [
            (["aspect": "proximity", "limit": 0], "limit"), (["aspect": "proximity", "limit": -1], "limit"),
            (["aspect": "proximity", "limit": .integer(.min)], "limit"), (["aspect": "weather"], "aspect"),
            (["aspect": "org.example.*"], "aspect"), (["aspect": ""], "aspect"), ([:], "aspect"),
        ] as [(JSONObject, JSON)])
    func invalidParameterIsNamed(parameters: JSONObject, invalid: JSON) throws {
        try post("near")
        let reply = try owner.call("GetHistory", parameters)
        #expect(reply.error == "org.varlink.service.InvalidParameter")
        #expect(reply.parameters == ["parameter": invalid])
        #expect(try owner.call("GetHistory", ["aspect": "proximity"]).error == nil)
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

    @Test("a sleeping subscriber receives its changes after another peer has read them")
    func historyIsNotADelivery() throws {
        let subscriber = scene.connect(pid: 8)
        let start = try subscriber.call("Subscribe", ["aspects": ["proximity"], "state": "background"], more: true)
        let id = try #require(start.parameters["subscription"])
        try post("near", "far")
        #expect(try generations(["aspect": "proximity"]) == [1, 2])
        try scene.connect(pid: 8).call("SetState", ["subscription": id, "state": "foreground"])
        let events = try subscriber.next()?.parameters["events"]?.arrayValue?.compactMap(\.objectValue)
        #expect(events?.map { $0["changes"] } == [2])
    }
}
