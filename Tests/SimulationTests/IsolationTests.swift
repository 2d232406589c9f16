// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

/// The isolation of peers from each other, with the real bus in simulated time.
@Suite(.timeLimit(.minutes(10))) struct IsolationTests {
    private static let stranger: UInt32 = 4_242

    // MARK: - Limits

    @Test("B63, B64: a user with a thousand silent connections is informed of the limit and does not affect others")
    func refusedConnectionsDoNotAffectOthers() throws {
        let scene = try BusScene()
        let silent = (0..<1_100).map { _ in scene.connect(uid: Self.stranger) }
        scene.turn()
        #expect(try scene.connect().call("GetState").error == nil)
        let refusal = try scene.connect(uid: Self.stranger).call("GetState")
        #expect(refusal.error == "org.reveille.Bus.QuotaExceeded")
        #expect(refusal.parameters == ["quota": "connections", "limit": 64])
        let open = silent.count { !$0.stream.isClosedByBus }
        #expect(open <= 64 + 4, "\(open) of the user's connections are open")
    }

    @Test("B65: refused connections of many users use only a few descriptors")
    func refusedConnectionsAreFew() throws {
        let scene = try BusScene(limits: "{ connectionsPerUser: 1, connections: 8 }")
        let peers = (0..<200).map { scene.connect(uid: 2_000 + UInt32($0)) }
        scene.turn()
        #expect(peers.count { !$0.stream.isClosedByBus } == 8 + 16)
        #expect(try scene.connect(uid: 0).call("GetState").error == nil, "root is never refused")
    }

    @Test("a closed connection makes room for another of the same user")
    func roomIsReturned() throws {
        let scene = try BusScene(limits: "{ connectionsPerUser: 1 }", isSystemWide: true)
        let first = scene.connect()
        #expect(try first.call("GetState").error == nil)
        #expect(try scene.connect().call("GetState").error == "org.reveille.Bus.QuotaExceeded")
        first.stream.close()
        scene.turn()
        #expect(try scene.connect().call("GetState").error == nil)
    }

    @Test("a connection over a limit counts from its first call on if there is room by then")
    func roomIsSeenAtTheCall() throws {
        let scene = try BusScene(limits: "{ connectionsPerUser: 1 }", isSystemWide: true)
        let first = scene.connect()
        #expect(try first.call("GetState").error == nil)
        let second = scene.connect()
        #expect(try second.call("DescribeAspects").error == nil)
        first.stream.close()
        scene.turn()
        #expect(try second.call("Subscribe", ["aspects": ["locale"]], more: true).error == nil)
        #expect(try scene.connect().call("GetState").error == "org.reveille.Bus.QuotaExceeded")
        second.stream.close()
        scene.turn()
        #expect(try scene.connect().call("GetState").error == nil)
    }

    /// A user's own bus, one of whose processes has all connections that it can have, and more that have not called.
    private func lockedScene(further: Int = 8) throws -> BusScene {
        let scene = try BusScene(limits: "{ connections: 200 }", owner: 1_000)
        for _ in 0..<100 + further { _ = scene.connect() }
        scene.turn()
        return scene
    }

    @Test("one process of the owner has half of the connections, the others have the rest, and then root has more")
    func processHasHalfOfItsBus() throws {
        let scene = try lockedScene(further: 0)
        let refusal = try scene.connect().call("GetState")
        #expect(refusal.error == "org.reveille.Bus.QuotaExceeded")
        #expect(refusal.parameters == ["quota": "processConnections", "limit": 100])
        let others = try (0..<100).map { pid in
            let peer = scene.connect(pid: Int32(100 + pid))
            try #expect(peer.call("Subscribe", ["aspects": ["battery"]], more: true).error == nil)
            return peer
        }
        #expect(others.count == 100)
        #expect(
            try scene.connect(pid: 8).call("GetState").parameters == ["quota": "busConnections", "limit": 200])
        #expect(try scene.connect(uid: 0).call("GetState").error == nil)
    }

    @Test("beyond the limits, a peer learns who has the connections, by as many calls as it needs, and nothing else")
    func toolsAlwaysGetIn() throws {
        let scene = try lockedScene()
        let tool = scene.connect()
        for method in [
            "org.varlink.service.GetInfo", "DescribeAspects", "ListSubscriptions", "org.reveille.Device.GetInfo",
        ] { try #expect(tool.call(method).error == nil) }
        for (method, isLasting) in [("ListSubscriptions", true), ("GetState", false), ("Refresh", false)] {
            let tool = scene.connect()
            #expect(try tool.call("DescribeAspects").error == nil)
            #expect(try tool.call(method, more: isLasting).error == "org.reveille.Bus.QuotaExceeded")
            scene.turn()
            #expect(tool.stream.isClosedByBus)
        }
    }

    @Test("a process that connects without end displaces its own connections over the limit, not those of a tool")
    func floodDisplacesItself() throws {
        let scene = try lockedScene()
        let tool = scene.connect(pid: 8)
        // The rest of the connections are taken, so that the tool's is one too many as well.
        scene.turn()
        let other = (0..<100).map { scene.connect(pid: Int32(100 + $0)) }
        scene.turn()
        let late = scene.connect(pid: 9)
        for _ in 0..<200 { _ = scene.connect() }
        scene.turn()
        #expect(try late.call("ListSubscriptions").error == nil)
        for _ in 0..<200 { _ = scene.connect() }
        #expect(try late.call("DescribeAspects").error == nil)
        #expect(try tool.call("GetState").error == nil)
        #expect(!other.contains { $0.stream.isClosedByBus })
    }

    @Test("two processes that have all connections of their user's bus, and try for more, do not displace a tool")
    func twoProcessesDisplaceThemselves() throws {
        let scene = try lockedScene(further: 0)
        for _ in 0..<100 { _ = scene.connect(pid: 8) }
        scene.turn()
        let tool = scene.connect(pid: 9)
        for _ in 0..<200 {
            for pid in [7, 8] { _ = scene.connect(pid: Int32(pid)) }
            #expect(try tool.call("ListSubscriptions").error == nil)
        }
        let refusal = try scene.connect(pid: 10).call("GetState")
        #expect(refusal.parameters == ["quota": "busConnections", "limit": 200])
    }

    @Test("garbage from one user causes a few log lines and a count of the omitted ones")
    func logIsLimited() throws {
        let scene = try BusScene()
        for _ in 0..<1_000 {
            scene.connect(uid: Self.stranger).stream.send(Array("}{\0".utf8))
            scene.turn()
        }
        #expect(scene.log.all.count == 20)
        scene.connect(uid: 0).stream.send(Array("}{\0".utf8))
        scene.turn()
        #expect(scene.log.all.count == 21, "lines are counted per user")
        scene.pass(.seconds(1))
        scene.connect(uid: Self.stranger).stream.send(Array("}{\0".utf8))
        scene.turn()
        #expect(scene.log.all.last?.contains("980 more lines about user 4242 were left out") == true)
    }

    @Test("simultaneous calls share readings: fifty calls cause one or two")
    func callsShareAReading() throws {
        let scene = try BusScene()
        let peers = (0..<50).map { _ in scene.connect() }
        let battery = scene.bus.watchers.first { $0.aspect == .battery }
        for peer in peers { peer.send("GetState", ["aspects": ["battery"]]) }
        scene.pass(.milliseconds(100))
        // The loop handles due events in random order.
        let first = battery?.readings ?? 0
        #expect((1...2).contains(first))
        scene.reality.change(.battery)
        for peer in peers { peer.send("Refresh") }
        scene.pass(.milliseconds(100))
        #expect((1...2).contains((battery?.readings ?? 0) - first))
        for peer in peers {
            #expect(try peer.next()?.error == nil)
            #expect(try peer.next()?.error == nil)
        }
    }

    @Test("a call during a sample is answered with the next sample")
    func answersAreFresh() throws {
        let scene = try BusScene()
        let early = scene.connect()
        early.send("GetState", ["aspects": ["battery"]])
        scene.turn()
        scene.reality.change(.battery)
        let late = scene.connect()
        late.send("GetState", ["aspects": ["battery"]])
        scene.turn()
        scene.reality.change(.battery)
        scene.pass(.milliseconds(100))
        let level = try late.next()?.parameters["events"]?.arrayValue?.first?.objectValue?["battery"]?
            .objectValue?["level"]?.numberValue
        #expect(level == 0.000_002)
    }

    // MARK: - Permissions

    @Test("another user's Refresh reads everything and keeps posted states")
    func refreshByAnotherUserKeepsPostedStates() throws {
        let scene = try BusScene()
        let owner = scene.connect(uid: geteuid())
        try owner.call("Post", ["proximity": ["state": "near"]])
        try owner.call("Post", ["locale": .object(Self.locale("xx"))])
        #expect(try scene.connect(uid: Self.stranger).call("Refresh").error == nil)
        #expect(try identifier(owner) == "xx")
        #expect(try owner.call("Refresh").error == nil)
        #expect(try identifier(owner) == "n0")
    }

    @Test("the description of an aspect marks a posted state")
    func postedStatesAreMarked() throws {
        let scene = try BusScene()
        let owner = scene.connect(uid: geteuid())
        try owner.call("Post", ["proximity": ["state": "near"]])
        try owner.call("Post", ["locale": .object(Self.locale("xx"))])
        let aspects = try owner.call("DescribeAspects").parameters["aspects"]?.arrayValue?.compactMap(\.objectValue)
        #expect(aspects?.first { $0["aspect"] == "locale" }?["source"] == "simulated (posted)")
        #expect(
            aspects?.first { $0["aspect"] == "proximity" }?["reason"] == "posted; this bus does not watch it")
        #expect(aspects?.first { $0["aspect"] == "battery" }?["source"] == "simulated")
    }

    @Test("processes in other PID namespaces are not mistaken for the subscriber's own")
    func unknownProcessesAreOperators() throws {
        let scene = try BusScene()
        let subscriber = scene.connect(pid: 0)
        let id = try subscriber.call("Subscribe", more: true).parameters["subscription"] ?? ""
        try scene.connect(pid: 0).call("SetState", ["subscription": id, "state": "background"])
        let held = try scene.connect().call("ListSubscriptions").parameters["subscriptions"]?.arrayValue?.first?
            .objectValue?["held"]
        #expect(held == ["operator"])
    }

    private static func locale(_ name: String) -> JSONObject {
        let name = JSON.string(name)
        return [
            "identifier": name, "languages": [], "numeric": name, "time": name, "monetary": name, "measurement": name,
        ]
    }

    private func identifier(_ peer: ScenePeer) throws -> String? {
        let events = try peer.call("GetState", ["aspects": ["locale"]]).parameters["events"]?.arrayValue
        return events?.first?.objectValue?["locale"]?.objectValue?["identifier"]?.stringValue
    }
}
