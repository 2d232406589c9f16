// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSimulation
import ReveilleWire
import Testing
import Varlink

@Suite(.timeLimit(.minutes(10))) struct RefusedEntryTests {
    @Test("B128: a user's entry beyond the limit is refused, and users neither list nor cancel other users' entries")
    func quota() throws {
        let scene = try ScheduleScene(
            publish: #"{ allow: [{ names: "org.example.*", users: [1000, 1001] }] }"#, owner: 0, entries: 2)
        for id in ["a", "b"] { try scene.add(["every": 60_000], id: id) }
        let refused = try scene.add(["every": 60_000], id: "c")
        #expect(refused.error == "org.reveille.Bus.QuotaExceeded")
        #expect(refused.parameters == ["quota": "entries", "limit": 2])
        #expect(try scene.add(["every": 90_000], id: "a").error == nil)
        #expect(try scene.list().count == 2)
        for uid: UInt32 in [0, 1_001] {
            #expect(try scene.list(uid: uid).isEmpty)
            #expect(try scene.cancel("a", uid: uid).problem == "NoSuchEntry")
        }
        #expect(try scene.add(["every": 60_000, "aspect": "org.other.name"], uid: 1_001).problem == "PermissionDenied")
        #expect(try scene.add(["every": 60_000, "launch": ["true"]], uid: 1_001).problem == "PermissionDenied")
    }

    @Test("an entry whose owner may no longer publish does not fire, and stays")
    func permissionIsCheckedAgain() throws {
        let scene = try ScheduleScene(
            publish: #"{ allow: [{ names: "org.example.*", users: [1000, 1001] }] }"#, owner: 0)
        try scene.add(["every": 60_000])
        try scene.scene.connect(uid: 1_001).publish(ScheduleScene.name, ["by": 1_001])
        scene.pass(minutes: 1)
        #expect(try scene.list().map(\.fired) == [0])
        #expect(scene.scene.log.all.contains { $0.contains("entry one of user 1000 does not fire") })
        try scene.scene.connect(uid: 1_001).publish(ScheduleScene.name, nil)
        scene.pass(minutes: 1)
        #expect(try scene.list().map(\.fired) == [1])
    }

    @Test("a single firing that is refused leaves its entry, which has no next time")
    func singleFiringIsRefused() throws {
        let scene = try ScheduleScene(
            publish: #"{ allow: [{ names: "org.example.*", users: [1000, 1001] }] }"#, owner: 0)
        try scene.add(["at": .integer(scene.now + ScheduleScene.minute)])
        try scene.scene.connect(uid: 1_001).publish(ScheduleScene.name, ["by": 1_001])
        scene.pass(minutes: 2)
        for _ in 0..<2 {
            #expect(try scene.list().map(\.fired) == [0])
            #expect(try scene.list().map(\.next) == [nil])
            try scene.restart()
        }
        #expect(try scene.cancel("one").error == nil)
    }

    @Test(
        "entries that cannot be meant are refused with the field",
        arguments: [
            ("entry.every", ["every": 999]), ("entry.calendar", ["every": 1_000, "calendar": ["hour": 1]]),
            ("entry.at", [:]), ("entry.calendar.hour", ["calendar": ["hour": 24]]),
            ("entry.calendar", ["calendar": [:]]), ("entry.zone", ["calendar": ["hour": 1], "zone": "No/Where"]),
            ("entry.zone", ["calendar": ["hour": 1], "zone": "../../etc/passwd"]),
            ("entry.zone", ["every": 1_000, "zone": "UTC"]),
            ("entry.aspect", ["every": 1_000, "aspect": "battery"]), ("entry.launch", ["every": 1_000, "launch": []]),
            ("entry.ifMissed", ["every": 1_000, "ifMissed": "later"]), ("entry.grace", ["every": 1_000, "grace": -1]),
            ("entry.at", ["at": -1]), ("entry.wake", ["at": 1, "wake": 1]),
            ("entry.calendar.weekdays", ["calendar": ["weekdays": []]]),
            ("entry.calendar.weekdays", ["calendar": ["weekdays": [1], "weekday": 1]]),
            ("entry.calendar.weekdays", ["calendar": ["weekdays": [0, 1]]]),
            ("entry.calendar.weekdays", ["calendar": ["weekdays": [8]]]),
            ("entry.calendar.weekdays", ["calendar": ["weekdays": [.integer(.max)]]]),
            ("entry.calendar.weekdays", ["calendar": ["weekdays": [.integer(.min)]]]),
            ("entry.calendar.weekdays", ["calendar": ["weekdays": [1.5]]]),
            ("entry.calendar.weekdays", ["calendar": ["weekdays": 1]]),
            ("entry.calendar.weekday", ["calendar": ["weekdays": [1], "weekday": 8]]),
        ] as [(String, JSONObject)])
    func invalid(field: String, entry: JSONObject) throws {
        let scene = try ScheduleScene()
        let reply = try scene.add(entry)
        #expect(reply.error == "org.varlink.service.InvalidParameter")
        #expect(reply.parameters["parameter"] == .string(field))
        #expect(access(scene.path, F_OK) != 0)
    }
}
