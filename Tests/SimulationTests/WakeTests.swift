// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Testing
import Varlink

/// Entries that wake the machine, on a bus with an alarm of its own.
@Suite(.timeLimit(.minutes(10))) struct WakeTests {
    private static let users = "[1000]"

    /// A system bus on a machine that can be woken.
    private func systemBus(wake: String = users) throws -> ScheduleScene {
        let scene = try ScheduleScene(
            publish: #"{ allow: [{ names: "org.example.*", users: [1000, 1001] }] }"#, owner: 0, wake: wake)
        scene.scene.loop.wakeFailure = nil
        return scene
    }

    private func minute(_ number: Int64, _ scene: ScheduleScene) -> JSON {
        .integer(scene.now + number * ScheduleScene.minute)
    }

    private func answer(_ scene: ScheduleScene, uid: UInt32) throws -> JSONObject {
        let reply = try scene.scene.connect(uid: uid).call(
            "org.reveille.Device.Check", ["capabilities": ["wake"]])
        return try #require(reply.parameters["answers"]?.arrayValue?.first?.objectValue)
    }

    @Test("the alarm that wakes the machine is set to the next slot of an entry with wake, and to nothing else")
    func alarmIsSet() throws {
        let scene = try systemBus()
        let loop = scene.scene.loop
        try scene.add(["every": 60_000], id: "ordinary")
        #expect(loop.nextWake == nil)
        let sources = scene.scene.bus.scheduleSourceCount
        let (early, late) = (scene.now + 5 * ScheduleScene.minute, scene.now + 9 * ScheduleScene.minute)
        try scene.add(["at": .integer(late), "wake": true], id: "late")
        #expect(loop.nextWake == late)
        try scene.add(["at": .integer(early), "wake": true], id: "early")
        #expect(loop.nextWake == early)
        scene.pass(minutes: 6)
        #expect(loop.nextWake == late)
        try scene.add(["at": .integer(late), "wake": false], id: "late")
        #expect(loop.nextWake == nil)
        #expect(scene.scene.bus.scheduleSourceCount == sources)
    }

    @Test(
        "the time of the alarm is a published state while there is one, also after a restart, even without the schedule"
    )
    func alarmIsPublished() throws {
        let scene = try systemBus()
        func published() throws -> String? {
            try scene.scene.connect(uid: 1_001).values(of: "org.reveille.alarm")["org.reveille.alarm"] ?? nil
        }
        try scene.add(["every": 60_000], id: "ordinary")
        #expect(try published() == nil)
        let (early, late) = (scene.now + 5 * ScheduleScene.minute, scene.now + 9 * ScheduleScene.minute)
        try scene.add(["at": .integer(late), "wake": true], id: "late")
        #expect(try published() == #"{"at":\#(late)}"#)
        try scene.add(["at": .integer(early), "wake": true], id: "early")
        #expect(try published() == #"{"at":\#(early)}"#)
        scene.pass(minutes: 6)
        #expect(try published() == #"{"at":\#(late)}"#)
        try scene.restart(isClean: true)
        scene.scene.loop.wakeFailure = nil
        scene.pass(minutes: 4)
        #expect(try published() == nil)
        try scene.add(["at": minute(5, scene), "wake": true], id: "last")
        scene.scene.bus.stop()
        unlink(scene.path)
        try scene.restart()
        #expect(try published() == nil)
    }

    @Test("an alarm whose time has passed while no bus ran is withdrawn by the next bus") func missedAlarm() throws {
        let scene = try systemBus()
        try scene.add(["at": minute(5, scene), "wake": true])
        scene.scene.bus.stop()
        scene.scene.loop.advance(.seconds(600))
        try scene.restart()
        let values = try scene.scene.connect(uid: 1_001).values(of: "org.reveille.alarm")
        #expect(values["org.reveille.alarm"] ?? nil == nil)
    }

    @Test("a user that schedule.wake does not name wakes nothing, and its entry is an ordinary one")
    func othersWakeNothing() throws {
        let scene = try systemBus()
        let at = minute(1, scene)
        #expect(try scene.add(["at": at, "wake": true], uid: 1_001).error == nil)
        #expect(scene.scene.loop.nextWake == nil)
        #expect(try scene.list(uid: 1_001).map(\.entry.wake) == [true])
        #expect(
            try answer(scene, uid: 1_001)["reason"] == "permission denied: schedule.wake does not name uid 1001")
        scene.pass(minutes: 2)
        #expect(try scene.list(uid: 1_001).isEmpty)
        #expect(try scene.add(["at": minute(1, scene), "wake": true, "aspect": "org.root"], uid: 0).error == nil)
        #expect(scene.scene.loop.nextWake != nil)
        for uid: UInt32 in [0, 1_000] { #expect(try answer(scene, uid: uid)["answer"] == "yes") }
    }

    @Test("the name of a user's own bus is permitted for this user alone, and only by schedule.wake")
    func nameOfTheUser() throws {
        let scene = try systemBus(wake: "[1000, 1001]")
        for (uid, name, isAllowed) in [
            (1_000, "u1000", true), (1_001, "u1000", false), (1_001, "u1001", true), (1_002, "u1002", false),
            (1_000, "u01000", false), (1_000, "u1000.x", false),
        ] as [(UInt32, String, Bool)] {
            let reply = try scene.add(["every": 60_000, "aspect": .string("org.reveille.wake." + name)], uid: uid)
            #expect(reply.problem == (isAllowed ? nil : "PermissionDenied"), "\(uid) \(name)")
        }
        scene.pass(minutes: 1)
        #expect(try scene.list().map(\.fired) == [1])
    }

    @Test(
        "without an alarm that wakes the machine, Check has the reason, and the entry fires",
        arguments: [(EPERM, "CAP_WAKE_ALARM"), (EOPNOTSUPP, "no clock"), (EMFILE, "EMFILE")])
    func noAlarm(code: Int32, word: String) throws {
        let scene = try systemBus()
        scene.scene.loop.wakeFailure = code
        try scene.add(["every": 60_000, "wake": true])
        let answer = try answer(scene, uid: 1_000)
        #expect(answer["answer"] == "no" && answer["reason"]?.stringValue?.contains(word) == true)
        scene.pass(minutes: 3)
        #expect(try scene.list().map(\.fired) == [3])
        #expect(scene.scene.log.all.count { $0.contains("entries do not wake the machine") } == 1)
    }

    @Test("Check is answered within a second if the system bus has stopped") func stoppedSystemBus() throws {
        let directory = try TemporaryDirectory()
        let address = try UnixAddress("unix:\(directory.path)/system")
        // The kernel accepts connections and calls for it.
        let system = try UnixListener(at: address)
        let scene = try BusScene(owner: 1_000) { loop in
            let logger = Logger(label: "scene") { _ in SwiftLogNoOpLogHandler() }
            return ScheduleServices(
                system: SystemWake(path: address.path, of: address, loop: loop, logger: logger))
        }
        let peer = scene.connect()
        peer.send("org.reveille.Device.Check", ["capabilities": ["wake"]])
        #expect(try peer.next() == nil)
        scene.pass(.seconds(1))
        let answer = try #require(try peer.next()?.parameters["answers"]?.arrayValue?.first?.objectValue)
        #expect(answer["reason"]?.stringValue?.contains("has not answered") == true)
        withExtendedLifetime(system) {}
    }

    @Test("a user's bus wakes for its user and root, by an alarm of its own if it may have one")
    func usersBus() throws {
        let scene = try ScheduleScene()
        scene.scene.loop.wakeFailure = nil
        let at = minute(1, scene)
        try scene.add(["at": at, "wake": true])
        #expect(scene.scene.loop.nextWake == at.integerValue)
        #expect(try answer(scene, uid: 1_000)["answer"] == "yes")
        #expect(try answer(scene, uid: 1_001)["answer"] == "no")
    }

    @Test("however the machine came to wake, the entry fires once, even if it skips what it missed")
    func firesOnce() throws {
        for (asleep, isWoken) in [(Int64(600), true), (603, true), (625, true), (660, false)] {
            let scene = try systemBus()
            try scene.add(["at": minute(10, scene), "wake": true], id: "fire")
            try scene.add(["every": 600_000, "wake": true, "ifMissed": "skip"], id: "skip")
            try scene.add(["every": 600_000, "ifMissed": "skip"], id: "ordinary")
            scene.scene.loop.advance(.seconds(asleep))
            scene.scene.loop.wallClock += 0
            scene.scene.turn()
            scene.scene.turn()
            let fired = try scene.list().reduce(into: [:]) { $0[$1.entry.id] = $1.fired }
            #expect(fired["fire"] == nil)
            #expect(fired["skip"] == (isWoken ? 1 : 0), "asleep for \(asleep) s")
            #expect(fired["ordinary"] == (asleep == 600 ? 1 : 0))
        }
    }

    @Test("the alarm follows the clock, the zone, a restart, and the disk")
    func alarmFollows() throws {
        let scene = try systemBus()
        try scene.add(["calendar": ["weekdays": [1, 2, 3, 4, 5, 6, 7], "hour": 7], "wake": true])
        func check() throws {
            let next = try #require(try scene.list().first?.next)
            #expect(scene.scene.loop.nextWake == next)
        }
        try check()
        scene.zones.local = "America/New_York"
        try check()
        scene.setClock(to: scene.now + 3_000 * ScheduleScene.minute)
        try check()
        scene.setClock(to: scene.now - 30_000 * ScheduleScene.minute)
        try check()
        try scene.restart()
        // A simulated loop begins without the capability.
        #expect(scene.scene.loop.nextWake == nil)
    }

    @Test("times at the edges set no alarm in the past")
    func edges() throws {
        let scene = try systemBus()
        for at: Int64 in [0, 1, scene.now - 1, ScheduleEntry.lastTime] {
            #expect(try scene.add(["at": .integer(at), "wake": true]).error == nil)
            scene.scene.turn()
            #expect(scene.scene.loop.nextWake == (at == ScheduleEntry.lastTime ? at : nil))
        }
        scene.setClock(to: .max)
        scene.setClock(to: .min)
        scene.scene.turn()
        #expect(scene.scene.loop.nextWake ?? .max > 0)
    }
}
