// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Testing
import Varlink

@testable import ReveilleService

/// The changes of a schedule: what is saved, in which order, and what is answered.
@Suite struct ScheduleChangesTests {
    private static let hour = SchedulerScene.hour

    @Test("the first change writes the file, is saved, and is answered then") func firstChange() throws {
        let scene = SchedulerScene()
        #expect(
            try scene.add() == ["rewrite", "commit 1", "answer", "alarm \(Self.hour)"])
        #expect(try #require(scene.answers[1]).get() as? AddReply == AddReply(next: SchedulerScene.start + Self.hour))
        #expect(try scene.add("two", on: 2) == ["commit 1", "answer"])
    }

    @Test("an entry over the limit is refused when it is its turn, although the call had room") func limit() throws {
        let scene = SchedulerScene()
        scene.entryLimit = 1
        let entry = try ScheduleEntry(id: "two", aspect: "org.example.a", every: 1_000)
        try scene.change(.add(entry), on: 2)
        #expect(try scene.add(on: 1) == ["rewrite", "commit 1", "answer", "answer", "alarm 1000000"])
        #expect(scene.refusal(on: 2) == nil)
        #expect(scene.refusal(on: 1) == .quotaExceeded(.entries, limit: 1))
    }

    @Test("changes that come while others wait for the disk are saved together, after them") func changesTogether()
        throws
    {
        let scene = SchedulerScene()
        _ = try scene.add()
        scene.isDiskSlow = true
        #expect(try scene.add("a", on: 2) == ["commit 1"])
        #expect(try scene.add("b", on: 3) == [])
        #expect(try scene.add("c", on: 4) == [])
        #expect(scene.next == nil)
        #expect(scene.disk() == ["answer", "commit 2"])
        #expect(scene.disk() == ["answer", "answer"])
    }

    @Test("a change that the disk refuses is undone, and its caller learns why", arguments: [false, true])
    func refusedByTheDisk(isReplaced: Bool) throws {
        let scene = SchedulerScene()
        _ = try scene.add("other", on: 9)
        if isReplaced { _ = try scene.add(on: 9) }
        let before = scene.scheduler.entries.all
        scene.failures = ["an error"]
        #expect(try scene.add(at: SchedulerScene.start + 5) == ["commit 1", "log error", "answer"])
        #expect(scene.refusal(on: 1) == .storageExceeded)
        #expect(scene.scheduler.entries.all == before)
    }

    @Test("a change without room is tried again once, after the file has been shortened") func shortenedFile() throws {
        let scene = SchedulerScene()
        _ = try scene.add("other", on: 9)
        scene.file?.canShrink = true
        scene.failures = ["no room"]
        #expect(try scene.add() == ["commit 1", "rewrite", "commit 1", "answer"])
        #expect(scene.refusal(on: 1) == nil)
        scene.failures = ["no room", "no room", "no room"]
        #expect(
            try scene.add("two", on: 2)
                == ["commit 1", "rewrite", "log error", "commit 1", "log error", "answer"])
        #expect(scene.refusal(on: 2) == .storageExceeded)
        #expect(scene.scheduler.entries.item("two", of: 1) == nil)
    }

    @Test("the changes of a user that has written too much wait, and those of others do not") func shares() throws {
        let scene = SchedulerScene()
        _ = try scene.add(user: 2)
        for number in 0..<5_000 { _ = try scene.add(on: UInt64(number)) }
        let due = try #require(scene.next)
        #expect(due > scene.bootClock)
        #expect(try scene.add("two", user: 2, on: 9_999) == ["commit 1", "answer"])
        #expect(scene.next == due)
        #expect(scene.turn(after: Int64(due - scene.bootClock)).contains("answer"))
    }

    @Test("cancelling a missing entry is answered at once, unless a change waits") func nothingToCancel() throws {
        let scene = SchedulerScene()
        #expect(throws: CallError.noSuchEntry("one")) { try scene.change(.cancel("one")) }
        #expect(scene.next == nil)
        scene.isDiskSlow = true
        _ = try scene.add(on: 2)
        try scene.change(.cancel("one"))
        #expect(scene.disk() == ["commit 1", "alarm \(Self.hour)"])
        #expect(scene.disk() == ["answer", "commit 1", "no alarm"])
        _ = scene.disk()
        #expect(scene.refusal(on: 1) == nil)
    }
}
