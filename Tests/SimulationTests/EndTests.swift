// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

/// B104 to B110: programs that end in the background, as they have declared.
@Suite(.timeLimit(.minutes(10))) struct EndTests {
    @Test("B105: background and terminating are read, and then SIGTERM is sent, once") func readerIsEnded() throws {
        let life = try SuspensionScene()
        let program = try life.start(ends: true)
        #expect(try life.set("background", of: program.first).isEmpty)
        #expect(try program.first.lifecycles() == [.background])
        #expect(program.process.terminations == 0)
        #expect(try program.first.lifecycles() == [.terminating])
        life.scene.turn()
        #expect(program.process.terminations == 1)
        #expect(try life.set("background", of: program.first).isEmpty)
        life.scene.pass(.seconds(60))
        #expect(program.process.terminations == 1, "one that ignores SIGTERM is left alone")
    }

    @Test("B107: another user's call is refused, and sends no signal") func strangerSendsNoSignal() throws {
        let life = try SuspensionScene()
        let program = try life.start(ends: true)
        let stranger = life.scene.connect(uid: 4_242, pid: 6)
        #expect(
            try life.set("background", of: program.first, by: stranger) == "org.varlink.service.PermissionDenied")
        life.scene.pass(.seconds(10))
        #expect(program.process.terminations == 0)
    }

    @Test("B108: if the process ends first and its ID is used again, no process receives a signal")
    func reusedIDReceivesNoSignal() throws {
        let life = try SuspensionScene()
        let program = try life.start(ends: true)
        #expect(try life.set("background", of: program.first).isEmpty)
        life.programs.end(program.process)
        let next = try life.start(20)
        life.scene.pass(.seconds(10))
        #expect(program.process.terminations == 0)
        #expect(next.process.terminations == 0)
    }

    @Test("B110: without the declaration, the background never ends a program") func othersAreNotEnded() throws {
        let life = try SuspensionScene()
        let program = try life.start()
        for state in ["background", "foreground", "inactive", "background"] {
            #expect(try life.set(state, of: program.first).isEmpty)
            life.scene.pass(.seconds(10))
            _ = try program.first.events()
        }
        #expect(program.process.terminations == 0)
    }

    @Test("a program that starts in the background has not gone there") func startIsNoEnd() throws {
        let life = try SuspensionScene()
        let program = try life.start(ends: true, state: "background")
        life.scene.pass(.seconds(10))
        #expect(program.process.terminations == 0)
    }

    @Test(
        "B101, B104: a mode needs its aspect, lifecycle can have none but end, and no other aspect has that",
        arguments: [
            (["battery", "lifecycle"], "lifecycle", "immediate", "policies.background"),
            (["battery", "lifecycle"], "lifecycle", "drop", "policies.background"),
            (["battery", "lifecycle"], "battery", "end", "policies.background"),
            (["org.example.*"], "org.example.*", "end", "policies.background"),
            (["battery"], "locale", "immediate", "policies.aspect"),
            (["battery"], "lifecycle", "end", "policies.aspect"),
        ])
    func impossibleModesAreRefused(aspects: [String], aspect: String, mode: String, field: String) throws {
        let peer = try BusScene().connect()
        let reply = try peer.call(
            "Subscribe",
            [
                "aspects": .array(aspects.map { .string($0) }),
                "policies": [["aspect": .string(aspect), "background": .string(mode)]],
            ], more: true)
        #expect(reply.error == "org.varlink.service.InvalidParameter")
        #expect(reply.parameters["parameter"] == .string(field))
    }

    @Test("B104: DescribeAspects says which policy lifecycle can have") func modesAreDescribed() throws {
        let reply = try BusScene().connect().call("DescribeAspects")
        let aspects = reply.parameters["aspects"]?.arrayValue?.compactMap { $0.objectValue } ?? []
        let described = aspects.first { $0["aspect"] == "lifecycle" }
        let lifecycle = try #require(described)
        #expect(lifecycle["available"] == true)
        #expect(lifecycle["source"]?.stringValue?.contains("is 'end'") == true)
    }

    @Test("lifecycle has neither a state nor a history without a subscription, and cannot be posted")
    func lifecycleIsOfASubscription() throws {
        let peer = try BusScene().connect(uid: 0)
        for (method, parameters) in [
            ("GetState", ["aspects": ["lifecycle"]]), ("GetHistory", ["aspect": "lifecycle"]),
            ("Post", ["lifecycle": ["state": "active"]]),
        ] as [(String, JSONObject)] {
            #expect(try peer.call(method, parameters).error == "org.varlink.service.InvalidParameter")
        }
    }
}
