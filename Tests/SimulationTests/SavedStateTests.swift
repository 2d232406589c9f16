// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Testing
import Varlink

@Suite(.timeLimit(.minutes(10))) struct SavedStateTests {
    private static let name = "org.example.volume"
    private static let allow = #"{ allow: [{ names: "org.example.*", users: [2000, 2001] }] }"#

    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/state.json" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func scene(publish: String = "{}", owner: UInt32 = 0) throws -> BusScene {
        try BusScene(publish: publish, owner: owner, state: StateFile(path: path))
    }

    private func save(_ scene: BusScene) {
        scene.pass(.milliseconds(200))
        #expect(access(path, F_OK) == 0)
    }

    @Test(
        "names keep their values, generations and publishers over a stop, and over a crash after the save",
        arguments: [true, false])
    func namesSurvive(isClean: Bool) throws {
        let scene = try scene(publish: Self.allow)
        let peer = scene.connect(uid: 2_000)
        for level in 1...3 { try peer.publish(Self.name, ["level": .integer(Int64(level))]) }
        try scene.connect(uid: 0).publish("org.other.name", ["a": 1.5])
        let before = try scene.connect().call("GetState", ["aspects": ["org.*"]])
        save(scene)
        try scene.restart(isClean: isClean)
        #expect(try scene.connect().call("GetState", ["aspects": ["org.*"]]) == before)
        let other = scene.connect(uid: 2_001)
        #expect(try other.publish(Self.name, ["level": 9]).problem == "PermissionDenied")
        let reply = try scene.connect(uid: 2_000).publish(Self.name, ["level": 4])
        #expect(reply.parameters == ["generation": 4, "sequence": 5])
    }

    @Test("of a saved state, only a name whose value is nested deeper than this version allows is left out")
    func deepValueIsLeftOut() throws {
        let scene = try scene()
        let peer = scene.connect(uid: 0)
        for name in [Self.name, "org.example.deep"] { try peer.publish(name, ["level": 1]) }
        save(scene)
        var state = try #require(try StateFile(path: path).load())
        let deep = (0..<PublishedValue.depthLimit).reduce([:] as JSONObject) { inner, _ in ["a": .object(inner)] }
        for index in state.entries.indices where state.entries[index].state.aspect == "org.example.deep" {
            state.entries[index].state = .whole(.published(PublishedValue("org.example.deep", deep)))
        }
        try StateFile(path: path).save(state)
        try scene.restart(isClean: false)
        let reply = try scene.connect().call("GetState", ["aspects": ["org.*"]])
        #expect(reply.parameters["instance"]?.stringValue == state.instance)
        #expect(reply.parameters["events"]?.arrayValue?.count == 1)
        #expect(scene.log.all.contains { $0.hasPrefix("org.example.deep: left out the saved value") })
    }

    @Test("a crash before the save begins a new instance without names") func crashDuringChanges() throws {
        let scene = try scene()
        let peer = scene.connect(uid: 0)
        try peer.publish(Self.name, ["level": 1])
        save(scene)
        let instance = try scene.connect().call("GetState").parameters["instance"]
        try scene.connect(uid: 0).publish(Self.name, ["level": 2])
        #expect(access(path, F_OK) != 0)
        try scene.restart(isClean: false)
        #expect(try scene.connect().call("GetState").parameters["instance"] != instance)
        #expect(try scene.connect().values(of: "org.*").isEmpty)
    }

    @Test(
        "B10: a state that changed back before a restart is not a net change after it, nor when it changes back again",
        arguments: [true, false])
    func netChangeOverARestart(isClean: Bool) throws {
        let scene = try scene()
        let peer = scene.connect(uid: 0)
        try peer.publish(Self.name, ["level": 1])
        let start = try scene.connect().subscribe(to: [Self.name], ["initial": true])
        for level: Int64 in [2, 3, 1] { try peer.publish(Self.name, ["level": .integer(level)]) }
        save(scene)
        let resume: JSONObject = [
            "instance": .string(start.instance),
            "resume": [
                ["aspect": .string(Self.name), "generation": .integer(Int64(start.events.first?.generation ?? 0))]
            ],
        ]
        for round in 0..<2 {
            try scene.restart(isClean: isClean)
            let resumed = try scene.connect().subscribe(to: [Self.name], resume)
            #expect(resumed.resumed == true)
            #expect(resumed.events.map(\.changeCount) == [3 + 2 * round])
            #expect(resumed.events.map(\.isNetChange) == [false])
            let peer = scene.connect(uid: 0)
            try peer.publish(Self.name, ["level": 4])
            #expect(try scene.connect().subscribe(to: [Self.name], resume).events.map(\.isNetChange) == [true])
            try peer.publish(Self.name, ["level": 1])
            #expect(try scene.connect().subscribe(to: [Self.name], resume).events.map(\.isNetChange) == [false])
            save(scene)
        }
    }

    private var isNameSaved: Bool {
        directory.read("state.json").contains(Self.name)
    }

    @Test("a state that is tied to a connection is never written to the file, nor is its name")
    func tiedStateIsNotSaved() throws {
        let scene = try scene()
        let peer = scene.connect(uid: 0)
        let sleeper = scene.connect()
        try sleeper.subscribe(to: ["org.*"], ["state": "background"])
        for level in 1...3 {
            try peer.publish(Self.name, ["level": .integer(Int64(level))], tied: true)
            save(scene)
            #expect(!isNameSaved)
        }
        try scene.restart(isClean: true)
        #expect(!isNameSaved)
    }

    @Test("a state that becomes tied without another value is no longer saved") func tieIsSaved() throws {
        let scene = try scene()
        let peer = scene.connect(uid: 0)
        try peer.publish(Self.name, ["level": 1])
        save(scene)
        #expect(isNameSaved)
        try peer.publish(Self.name, ["level": 1], tied: true)
        #expect(access(path, F_OK) != 0, "the file would restore a state that stays")
        save(scene)
        #expect(!isNameSaved)
        try scene.restart(isClean: false)
        #expect(try scene.connect().values(of: Self.name) == [Self.name: nil])
    }

    @Test("a thousand names with the longest values are saved and restored, however deep they are")
    func longestStateIsSaved() throws {
        let scene = try scene()
        let peer = scene.connect(uid: 0)
        let deep = (0..<25).reduce(["x"] as JSON) { value, _ in ["a": value] }
        let long: JSON = ["text": .string(String(repeating: "\u{1}", count: 640)), "deep": deep]
        let refusals = try (0..<1_024).compactMap { try peer.publish("org.example.n\($0)", long).problem }
        #expect(refusals.isEmpty)
        save(scene)
        let before = try scene.connect().values(of: "org.*")
        #expect(before.count == 1_024)
        try scene.restart(isClean: false)
        #expect(try scene.connect().values(of: "org.*") == before)
    }

    // MARK: - Time

    /// Counts the saves while a name changes every ten milliseconds for ten seconds.
    private func saves(takingMilliseconds cost: UInt64) throws -> Int {
        let scene = try scene()
        let peer = scene.connect(uid: 0)
        // A save has three measured steps, since the lines of the log are charged to their publishers.
        scene.loop.work = cost * 1_000 / 3
        var saves = 0
        for step in 0..<1_000 {
            peer.send("Publish", ["aspect": "org.example.volume", "value": ["step": .integer(Int64(step))]])
            scene.turn()
            scene.loop.advance(.milliseconds(10))
            scene.turn()
            // The next change removes the file.
            if access(path, F_OK) == 0 { saves += 1 }
        }
        return saves
    }

    @Test("saves of a state that changes all the time are ten a second, and fewer if they take long")
    func savesAreFollowedByAPause() throws {
        #expect((80...110).contains(try saves(takingMilliseconds: 0)))
        #expect((80...110).contains(try saves(takingMilliseconds: 5)))
        let slow = try saves(takingMilliseconds: 50)
        #expect((8...11).contains(slow), "a twentieth of the time: \(slow)")
    }

    // MARK: - Damage

    @Test("a state in which any bit is flipped begins a new instance") func anyFlippedBitIsNoticed() throws {
        let scene = try scene()
        try scene.connect(uid: 0).publish(Self.name, ["level": 1])
        scene.pass(.milliseconds(200))
        let bytes = Array(directory.read("state.json").utf8)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1 << (index % 7)
            try directory.write(bytes: damaged, to: "damaged")
            let state = try? StateFile(path: directory.path + "/damaged").load()
            // Only the case of a digit of the digest makes no difference.
            #expect(state == nil || index < 16, "byte \(index)")
        }
    }

    @Test("a state of an earlier release, without a digest, begins a new instance") func stateWithoutDigest() throws {
        try directory.write(#"{"version":1,"instance":"i","sequence":5,"aspects":[]}"#, to: "state.json")
        let scene = try scene()
        #expect(scene.log.all.contains { $0.contains("\(path): it is damaged") })
        #expect(try scene.connect().call("GetState").parameters["instance"] != "i")
    }
}
