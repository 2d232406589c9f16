// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

/// The interface `org.reveille.Device` for peers of any user.
@Suite(.timeLimit(.minutes(10))) struct DeviceCallTests {
    private static let words = ["multitasking", "suspend", "launch", "publish", "wake"]

    private func check(_ names: [String], as peer: ScenePeer) throws -> [JSONObject] {
        let names = JSON.array(names.map { .string($0) })
        let reply = try peer.call("org.reveille.Device.Check", ["capabilities": names])
        return reply.parameters["answers"]?.arrayValue?.compactMap(\.objectValue) ?? []
    }

    @Test("B159: Check answers yes, no with a reason, or unknown for an unknown word")
    func checkAnswersYesNoOrUnknown() throws {
        let scene = try BusScene()
        let peer = scene.connect(uid: 0)
        let answers = try check(["locale", "proximity", "weather", "", "org.example.*", "Locale", "locale"], as: peer)
        #expect(
            answers.map { $0["answer"]?.stringValue } == [
                "yes", "no", "unknown", "unknown", "unknown", "unknown", "yes",
            ])
        #expect(
            answers.map { $0["capability"]?.stringValue }
                == ["locale", "proximity", "weather", "", "org.example.*", "Locale", "locale"])
        for answer in answers {
            let reason = answer["reason"]?.stringValue
            #expect((reason?.isEmpty == false) == (answer["answer"] == "no"))
        }
        #expect(try check([], as: peer).isEmpty)
    }

    @Test("B159: each word other than an aspect has an answer") func everyWordHasAnAnswer() throws {
        let scene = try BusScene(owner: 1_000)
        let answers = try check(Self.words, as: scene.connect(uid: 1_000))
        #expect(answers.map { $0["answer"]?.stringValue } == ["yes", "no", "no", "yes", "no"])
    }

    @Test("B159: suspend is answered for the caller's own process, and no has the reason")
    func suspensionIsAnsweredForTheCaller() throws {
        let scene = try BusScene()
        scene.programs.start(20, cgroup: "/app")
        scene.programs.start(21, cgroup: nil)
        #expect(try check(["suspend"], as: scene.connect(pid: 20)).first?["answer"] == "yes")
        let unknown = try check(["suspend"], as: scene.connect(pid: 21)).first
        #expect(unknown?["answer"] == "no" && unknown?["reason"] == "its cgroup is unknown")
        let absent = try check(["suspend"], as: scene.connect(pid: 22)).first
        #expect(absent?["answer"] == "no" && absent?["reason"] == "process 22 cannot be followed")
        scene.programs.obstacle = "no cgroup v2 is mounted"
        let refused = try check(["suspend"], as: scene.connect(pid: 20)).first
        #expect(refused?["answer"] == "no" && refused?["reason"] == "no cgroup v2 is mounted")
    }

    @Test("B163: Check and DescribeAspects have one answer for each aspect and name, posted or published")
    func checkAgreesWithDescribeAspects() throws {
        let scene = try BusScene()
        let peer = scene.connect(uid: 0)
        func compare() throws {
            let reply = try peer.call("DescribeAspects")
            let sources = reply.parameters["aspects"]?.arrayValue?.compactMap(\.objectValue) ?? []
            let answers = try check(sources.compactMap { $0["aspect"]?.stringValue }, as: peer)
            #expect(answers.map { $0["answer"] == "yes" } == sources.map { $0["available"] == true })
            #expect(answers.map { $0["reason"] } == sources.map { $0["reason"] })
        }
        try compare()
        try peer.call("Post", ["proximity": ["state": "near"]])
        try peer.publish("org.example.volume", ["level": 1])
        try scene.connect(uid: 1_001).subscribe(to: ["org.example.later"])
        try compare()
        #expect(try check(["org.example.volume"], as: peer).first?["answer"] == "yes")
        try peer.publish("org.example.volume")
        #expect(try check(["org.example.volume"], as: peer).first?["reason"] == "not published")
    }

    @Test("B164: without the permission to publish, Check answers no and names it")
    func missingPermissionIsNamed() throws {
        let usersBus = try BusScene(owner: 1_000)
        for (uid, answer) in [(1_000, "yes"), (0, "yes"), (1_001, "no")] as [(UInt32, JSON)] {
            #expect(try check(["publish"], as: usersBus.connect(uid: uid)).first?["answer"] == answer)
        }
        let allow = #"{ allow: [{ names: "org.example.*", users: [2000] }] }"#
        let systemBus = try BusScene(publish: allow, owner: 0)
        #expect(try check(["publish"], as: systemBus.connect(uid: 2_000)).first?["answer"] == "yes")
        let refused = try check(["publish"], as: systemBus.connect(uid: 2_001)).first
        #expect(refused?["reason"] == "permission denied: publish.allow grants uid 2001 no name")
    }
}
