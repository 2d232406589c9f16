// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Testing
import Varlink

@testable import ReveilleService

/// The order of firings, and the programs that are started for them.
@Suite struct SchedulerTests {
    private static let hour = SchedulerScene.hour

    @Test("a firing is recorded, after the state before it, and published then") func orderOfAFiring() throws {
        let scene = SchedulerScene()
        _ = try scene.add()
        #expect(
            scene.ring(after: Self.hour)
                == ["make 1", "save state", "record 1", "publish 1", "sync", "alarm \(2 * Self.hour)"])
        #expect(scene.published.map(\.times) == [1])
    }

    @Test("a firing that cannot be recorded is not published, and is tried again after a pause") func failedRecord()
        throws
    {
        let scene = SchedulerScene()
        _ = try scene.add()
        scene.room = 0
        let effects = scene.ring(after: Self.hour)
        #expect(effects == ["make 1", "save state", "record 1", "log error", "no alarm"])
        #expect(scene.turn(after: 9_000_000) == [])
        scene.room = 1
        #expect(scene.turn(after: 1_000_000).contains("publish 1"))
        #expect(scene.published.map(\.times) == [1])
    }

    @Test("where many firings have no room, fewer are recorded") func fewerFirings() throws {
        let scene = SchedulerScene()
        for number in 0..<8 { _ = try scene.add("\(number)", on: UInt64(number)) }
        scene.room = 3
        let effects = scene.ring(after: Self.hour)
        #expect(effects.filter { $0.hasPrefix("record") } == ["record 8", "record 4", "record 2"])
        while scene.published.count < 8 { #expect(scene.ring().contains { $0.hasPrefix("publish") }) }
    }

    @Test("a file that is full of past firings is shortened first") func fullFile() throws {
        let scene = SchedulerScene()
        _ = try scene.add()
        scene.file?.takesFirings = false
        scene.isDiskSlow = true
        #expect(scene.ring(after: Self.hour) == ["rewrite"])
        scene.file?.takesFirings = true
        #expect(scene.disk().contains("publish 1"))
    }

    @Test("firings wait for a change that waits for the disk, and a change that fails has not fired")
    func firingsWaitForChanges() throws {
        let scene = SchedulerScene()
        _ = try scene.add()
        scene.isDiskSlow = true
        _ = scene.turn(after: Self.hour - 10)
        #expect(
            try scene.add("two", at: scene.wallClock + 5, on: 2) == ["commit 1", "alarm \(Self.hour - 5)"])
        #expect(scene.ring(after: 10) == [])
        #expect(scene.disk("an error").contains("publish 1"))
        #expect(scene.published.count == 1)
        #expect(scene.refusal(on: 2) == .storageExceeded)
    }

    @Test("a firing waits for nobody else: not for firings on the way to the disk") func firingsOnTheWay() throws {
        let scene = SchedulerScene()
        _ = try scene.add()
        scene.isDiskSlow = true
        #expect(scene.ring(after: Self.hour).contains("sync"))
        #expect(scene.ring(after: Self.hour).contains("publish 1"))
        #expect(scene.disk() == ["sync"])
    }

    @Test("a turn fires so many entries at most, and the alarm rings for the others at once") func manyFirings() throws
    {
        let scene = SchedulerScene()
        scene.file = nil
        for number in 0..<300 { _ = try scene.add("\(number)", on: UInt64(number)) }
        #expect(scene.ring(after: Self.hour) == ["make 256", "publish 256", "alarm \(Self.hour)"])
        #expect(scene.turn() == [])
        #expect(scene.ring() == ["make 44", "publish 44", "alarm \(2 * Self.hour)"])
    }

    @Test("an entry that becomes due while its call is answered has an alarm, which rings at once")
    func dueDuringAnswer() throws {
        let scene = SchedulerScene()
        scene.file = nil
        _ = try scene.add("late")
        scene.answerTime = 30
        #expect(try scene.add("soon", at: scene.wallClock + 20, on: 2).last == "alarm 20")
        #expect(scene.ring().contains("publish 1"))
    }

    @Test("the last entry takes its alarms and the file with it") func lastEntry() throws {
        let scene = SchedulerScene()
        scene.scheduler.entries.wakingUsers = [1]
        #expect(try scene.add(wake: true).suffix(2) == ["wake \(Self.hour)", "alarm \(Self.hour)"])
        scene.scheduler.alarmRang(isWake: true, clockHasChanged: false, at: scene.wallClock)
        #expect(scene.turn() == ["wake \(Self.hour)", "alarm \(Self.hour)"])
        try scene.change(.cancel(nil))
        #expect(scene.turn() == ["commit 1", "remove", "answer", "no wake", "no alarm"])
        #expect(scene.file?.isOpen == false)
    }

    @Test("a changed zone applies once the slots before it have fired") func changedZone() throws {
        let scene = SchedulerScene()
        _ = try scene.add()
        scene.isDiskSlow = true
        _ = try scene.add("two", on: 2)
        scene.wallClock += Self.hour
        scene.scheduler.zoneChanged("local", at: scene.wallClock)
        #expect(scene.turn() == [])
        let effects = scene.disk()
        let fired = try #require(effects.firstIndex { $0.hasPrefix("publish") })
        #expect(effects.firstIndex(of: "load local") ?? 0 > fired)
    }

    @Test("without an alarm, what is due is looked for after a pause") func noAlarm() throws {
        let scene = SchedulerScene()
        scene.refusesAlarms = true
        #expect(try scene.add().suffix(2) == ["alarm \(Self.hour)", "log error"])
        scene.refusesAlarms = false
        #expect(scene.next == scene.bootClock + 10_000_000)
        #expect(
            scene.turn(after: Self.hour) == [
                "make 1", "save state", "record 1", "publish 1", "sync", "alarm \(2 * Self.hour)",
            ])
    }

    // MARK: - Programs

    @Test("a start is saved before the program is started, and again as long as nobody subscribes") func savedStart()
        throws
    {
        let scene = SchedulerScene()
        _ = try scene.add(launch: ["player"])
        let effects = scene.ring(after: Self.hour)
        let index = try #require(effects.firstIndex(of: "start player"))
        #expect(effects[index - 1] == "append 1")
        #expect(scene.appended == [.started(["player"], starts: 1)])
        #expect(scene.turn(after: 30_000_000).contains("log warning"))
        #expect(scene.turn(after: 60_000_000).contains("start player"))
    }

    @Test("no program is started for a firing that a subscriber receives") func attendedFiring() throws {
        let scene = SchedulerScene()
        _ = try scene.add(launch: ["player"])
        scene.wanted = ["org.example.a"]
        #expect(!scene.ring(after: Self.hour).contains("start player"))
        #expect(scene.scheduler.programs.queue.attended == ["org.example.a"])
        scene.scheduler.sent(["org.example.a": 2])
        #expect(scene.scheduler.saveRecords(scene.file)?.count == 1)
        scene.scheduler.received(["org.example.a": 2], of: "one")
        #expect(scene.scheduler.programs.isEmpty)
        #expect(scene.scheduler.saveRecords(scene.file) == nil)
    }

    @Test("a program is started once the last subscriber of its name has left without receiving the firing")
    func desertedName() throws {
        let scene = SchedulerScene()
        _ = try scene.add(launch: ["player"])
        scene.wanted = ["org.example.a"]
        _ = scene.ring(after: Self.hour)
        scene.scheduler.deserted(["org.example.a"], of: "one", at: scene.bootClock)
        #expect(scene.turn() == ["append 1", "append 1", "start player"])
    }

    @Test("a turn starts so many programs at most, and the next one others") func manyStarts() throws {
        let scene = SchedulerScene()
        for number in 0..<20 { _ = try scene.add("\(number)", launch: ["\(number)"], on: UInt64(number)) }
        let starts = [scene.ring(after: Self.hour), scene.turn(), scene.turn()].map { effects in
            effects.count { $0.hasPrefix("start") }
        }
        #expect(starts == [8, 8, 4])
    }
}
