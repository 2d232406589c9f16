// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@testable import ReveilleWatchers

@Suite struct FileSettlingTests {
    /// A timeline of 50 ms a character; the settling time is 1, the grace period 5, the limit for writers 10 characters.
    ///
    /// `notices`: `w` written, `f` finished, `r` removed, `t` touched. `finds`, the result of a read at that time, of
    /// which the last one repeats: `g` good, `e` empty, `m` missing, `x` failed. `reads`: `T` accepted,
    /// `.` not accepted, `G` given up.
    struct Course: Sendable, CustomTestStringConvertible {
        let name: String
        let notices: String
        let finds: String
        let reads: String
        var testDescription: String { name }
    }

    @Test(arguments: [
        Course(name: "B81: a replaced file is read once settled", notices: "f---", finds: "g", reads: "-T--"),
        Course(name: "a burst is read after its last write", notices: "fff---", finds: "g", reads: "---T--"),
        Course(
            name: "an endless burst is read periodically", notices: "f" + String(repeating: "wf", count: 12),
            finds: "g", reads: "----------T----------T---"),
        Course(name: "a written file is read once closed", notices: "w--f---", finds: "g", reads: "----T--"),
        Course(name: "a file that is never closed is read", notices: "w-----------", finds: "g", reads: "----------T-"),
        Course(name: "further writes do not end the wait", notices: "w--w--w-----", finds: "g", reads: "----------T-"),
        Course(name: "a second write delays the first", notices: "fw-f---", finds: "g", reads: "----T--"),
        Course(name: "a touched file is read once", notices: "t---", finds: "g", reads: "-T--"),
        Course(name: "touching does not end a write", notices: "wt-f--", finds: "g", reads: "----T-"),
        Course(name: "a deletion has a grace period", notices: "r---------", finds: "m", reads: "-.----T---"),
        Course(name: "recreated in the grace period", notices: "r--f------", finds: "mmmg", reads: "-.--T-----"),
        Course(name: "an empty file has a grace period", notices: "f---------", finds: "e", reads: "-.----T---"),
        Course(name: "filled in the grace period", notices: "f--wf-----", finds: "eeeg", reads: "-.---T----"),
        Course(
            name: "the grace period begins at the first read", notices: "f--t--------", finds: "e",
            reads: "-.----T-----"),
        Course(
            name: "an invalid file is read four times", notices: "f------------", finds: "x", reads: "-..--.--G----"),
        Course(name: "repaired between two reads", notices: "f------------", finds: "xxxg", reads: "-..--T-------"),
        Course(
            name: "a change restarts the reads", notices: "f--f-----------", finds: "x", reads: "-..-..--.--G---"),
        Course(name: "an unchanged file is not read", notices: "------", finds: "x", reads: "------"),
    ])
    func fileIsReadOnceSettled(course: Course) {
        #expect(Self.play(course) == course.reads)
    }

    @Test func withoutSettlingAFileIsReadImmediately() {
        var settling = FileSettling()
        let timing = FileSettling.Timing(readDelay: .zero, deletionGrace: .zero)
        let now = Instant(microseconds: 7)
        settling.notice(.finished, at: now, timing: timing)
        #expect(settling.deadline == now)
        #expect(settling.judge(.missing, at: now, timing: timing) == .take)
        #expect(settling.deadline == nil)
    }

    @Test func explicitReadWaitsOnlyForAWriter() {
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
