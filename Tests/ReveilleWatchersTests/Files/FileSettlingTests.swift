// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing

@testable import ReveilleWatchers

@Suite struct FileSettlingTests {
    /// One line of time, 50 ms a character: settle is one, the grace five, the writer's patience ten.
    ///
    /// `notices`: `w` written, `f` finished, `r` removed, `t` touched. `finds`: what a read at that time
    /// finds, `g` good, `e` empty, `m` missing, `x` failed; the last one goes on. `reads`: `T` taken,
    /// `.` read and not taken, `G` given up.
    struct Course: Sendable, CustomTestStringConvertible {
        let says: String
        let notices: String
        let finds: String
        let reads: String
        var testDescription: String { says }
    }

    @Test(arguments: [
        Course(says: "a replace is read once settled", notices: "f---", finds: "g", reads: "-T--"),
        Course(says: "a burst is read after its last", notices: "fff---", finds: "g", reads: "---T--"),
        Course(
            says: "a burst without an end is read at times", notices: "f" + String(repeating: "wf", count: 12),
            finds: "g", reads: "----------T----------T---"),
        Course(says: "a write is read once closed", notices: "w--f---", finds: "g", reads: "----T--"),
        Course(says: "a writer that never closes is read", notices: "w-----------", finds: "g", reads: "----------T-"),
        Course(says: "writing on ends the wait no sooner", notices: "w--w--w-----", finds: "g", reads: "----------T-"),
        Course(says: "a second write holds the first back", notices: "fw-f---", finds: "g", reads: "----T--"),
        Course(says: "touch is read once", notices: "t---", finds: "g", reads: "-T--"),
        Course(says: "touch hurries no writer", notices: "wt-f--", finds: "g", reads: "----T-"),
        Course(says: "a deletion has a grace", notices: "r---------", finds: "m", reads: "-.----T---"),
        Course(says: "made anew within the grace", notices: "r--f------", finds: "mmmg", reads: "-.--T-----"),
        Course(says: "an empty file has a grace", notices: "f---------", finds: "e", reads: "-.----T---"),
        Course(says: "filled within the grace", notices: "f--wf-----", finds: "eeeg", reads: "-.---T----"),
        Course(
            says: "the grace begins at the first sight", notices: "f--t--------", finds: "e", reads: "-.----T-----"),
        Course(says: "a broken file is read four times", notices: "f------------", finds: "x", reads: "-..--.--G----"),
        Course(says: "mended between two reads", notices: "f------------", finds: "xxxg", reads: "-..--T-------"),
        Course(
            says: "a change gives it all reads again", notices: "f--f-----------", finds: "x", reads: "-..-..--.--G---"),
        Course(says: "nothing is read unasked", notices: "------", finds: "x", reads: "------"),
    ])
    func fileIsReadWhenItHasSettled(course: Course) {
        #expect(Self.play(course) == course.reads)
    }

    @Test func withoutSettlingAFileIsReadAtOnce() {
        var settling = FileSettling()
        let timing = FileSettling.Timing(readDelay: .zero, deletionGrace: .zero)
        let now = Instant(microseconds: 7)
        settling.notice(.finished, at: now, timing: timing)
        #expect(settling.deadline == now)
        #expect(settling.judge(.missing, at: now, timing: timing) == .take)
        #expect(settling.deadline == nil)
    }

    @Test func whoAsksWaitsForNothingButAWriter() {
        let now = Instant(microseconds: 7)
        var settling = FileSettling()
        #expect(settling.judge(.empty, at: now, timing: Self.timing, asked: true) == .take)
        #expect(settling.judge(.missing, at: now, timing: Self.timing, asked: true) == .take)
        #expect(settling.judge(.good, at: now, timing: Self.timing, asked: true) == .take)
        settling.notice(.written, at: now, timing: Self.timing)
        #expect(settling.judge(.empty, at: now, timing: Self.timing, asked: true) == .wait)
        #expect(settling.deadline != nil)
    }

    private static let timing = FileSettling.Timing(readDelay: .milliseconds(50), deletionGrace: .milliseconds(250))

    private static func play(_ course: Course) -> String {
        let notices: [Character: FileSettling.Notice] = [
            "w": .written, "f": .finished, "r": .removed, "t": .touched,
        ]
        let finds: [Character: FileSettling.Outcome] = ["g": .good, "e": .empty, "m": .missing, "x": .failed]
        let verdicts: [FileSettling.Verdict: Character] = [.take: "T", .wait: ".", .giveUp: "G"]
        var settling = FileSettling()
        var reads = ""
        for (tick, notice) in course.notices.enumerated() {
            let now = Instant(microseconds: 0) + .milliseconds(50 * tick)
            let find = tick < course.finds.count ? Array(course.finds)[tick] : course.finds.last ?? "g"
            if let notice = notices[notice] { settling.notice(notice, at: now, timing: timing) }
            if let deadline = settling.deadline, deadline <= now {
                let verdict = settling.judge(finds[find] ?? .good, at: now, timing: timing)
                reads.append(verdicts[verdict] ?? "?")
            } else {
                reads.append("-")
            }
        }
        return reads
    }
}
