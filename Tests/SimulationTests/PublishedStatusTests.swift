// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

/// Published names in the replies of GetState, DescribeAspects and ListSubscriptions.
@Suite(.timeLimit(.minutes(10))) struct PublishedStatusTests {
    private static let name = "org.example.volume"

    private let scene: BusScene
    private let publisher: ScenePeer

    init() throws {
        scene = try BusScene(owner: 1_000)
        publisher = scene.connect(uid: 1_000)
    }

    /// Returns the descriptions of names, without the device's aspects.
    private func descriptions() throws -> [JSONObject] {
        let aspects = try scene.connect().call("DescribeAspects").parameters["aspects"]?.arrayValue ?? []
        return aspects.compactMap(\.objectValue).filter { $0["aspect"]?.stringValue?.contains(".") == true }
    }

    // MARK: - DescribeAspects

    @Test("the description of a name has its publisher and the age of its state")
    func publisherIsDescribed() throws {
        #expect(try descriptions().isEmpty)
        try publisher.publish(Self.name, ["level": 1])
        let ages: [(Duration, String)] = [
            (.zero, "now"), (.seconds(1), "1 s ago"), (.seconds(58), "59 s ago"), (.seconds(1), "1 min ago"),
            (.seconds(3_539), "59 min ago"), (.seconds(1), "1 h ago"), (.seconds(3_600 * 46), "47 h ago"),
            (.seconds(3_600), "2 d ago"), (.seconds(86_400 * 98), "100 d ago"),
        ]
        for (pause, age) in ages {
            scene.loop.advance(pause)
            #expect(
                try descriptions() == [
                    [
                        "aspect": .string(Self.name), "available": true, "monitored": false,
                        "source": .string("published by uid 1000, \(age)"), "reason": .null,
                    ]
                ])
        }
        scene.loop.wallClock = 0
        #expect(try descriptions().first?["source"] == "published by uid 1000, now", "the clock was set back")
        let root = scene.connect(uid: 0)
        try root.publish(Self.name, ["level": 2], tied: true)
        #expect(try descriptions().first?["source"] == "published by uid 0, now, until it disconnects")
    }

    @Test("a name is monitored while a subscription includes it, and described while it is published or subscribed to")
    func subscribedNamesAreDescribed() throws {
        let (named, pattern) = (scene.connect(), scene.connect())
        try named.subscribe(to: ["org.example.later"])
        try pattern.subscribe(to: ["org.other.*"])
        let missing: JSONObject = [
            "aspect": "org.example.later", "available": false, "monitored": true, "source": .null,
            "reason": "not published",
        ]
        #expect(try descriptions() == [missing])
        try publisher.publish("org.other.a", ["a": 1])
        try publisher.publish(Self.name, ["a": 1])
        #expect(try descriptions().map { $0["aspect"] } == ["org.example.later", .string(Self.name), "org.other.a"])
        #expect(try descriptions().map { $0["monitored"] } == [true, false, true])
        named.stream.close()
        pattern.stream.close()
        try publisher.publish("org.other.a")
        #expect(try descriptions().map { $0["aspect"] } == [.string(Self.name)])
    }

    // MARK: - GetState

    @Test("GetState is current for any set of aspects, after many other sets and after each change")
    func repliesAreCurrent() throws {
        let peer = scene.connect()
        for step in 0..<20 {
            try publisher.publish(Self.name, ["step": .integer(Int64(step))])
            for other in 0..<20 {
                let expected: [String: String?] = [Self.name: #"{"step":\#(step)}"#, "org.example.n\(other)": nil]
                #expect(try peer.values(of: Self.name, "org.example.n\(other)") == expected)
                #expect(try peer.values(of: "org.example.n\(other)", Self.name) == expected)
            }
            #expect(try peer.values(of: "org.example.*") == [Self.name: #"{"step":\#(step)}"#])
        }
        try publisher.publish(Self.name)
        #expect(try peer.values(of: "org.example.*").isEmpty)
    }

    // MARK: - ListSubscriptions

    @Test("a hundred subscriptions with a thousand pending names are listed with some of them")
    func listsAreLimited() throws {
        let peers = (0..<100).map { _ in scene.connect(uid: 0) }
        for peer in peers { try peer.subscribe(to: ["org.example.*"], ["state": "background"]) }
        for number in 0..<1_000 { try publisher.publish("org.example.n\(number)", ["a": 1]) }
        let counts = {
            let list = try scene.connect().call("ListSubscriptions").parameters["subscriptions"]?.arrayValue ?? []
            return list.map { $0.objectValue?["pending"]?.arrayValue?.count }
        }
        #expect(try counts() == Array(repeating: 163, count: 100), "16,384 in all")
        for peer in peers.dropFirst() { peer.stream.close() }
        scene.turn()
        #expect(try counts() == [256], "256 of each")
    }
}
