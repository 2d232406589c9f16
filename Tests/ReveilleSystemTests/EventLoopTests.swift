// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
import Testing

@Suite(.timeLimit(.minutes(10))) struct EventLoopTests {
    @Test func timerFiresOnceEachTimeItIsSet() throws {
        let loop = try EventLoop()
        var fired = 0
        var timer: EventSource?
        timer = try loop.timer {
            fired += 1
            if fired == 3 { loop.exit() } else { timer?.fire(after: .milliseconds(1)) }
        }
        timer?.fire(after: .milliseconds(1))
        try loop.run()
        #expect(fired == 3)
        // The timer and its handler retain each other.
        timer = nil
    }

    @Test func rescheduledTimerFiresAtItsNewTime() throws {
        let loop = try EventLoop()
        let timer = try loop.timer { loop.exit() }
        timer.fire(after: .seconds(3_600))
        timer.fire(after: .zero)
        try loop.run()
    }

    @Test("the loop goes on while detached work blocks, and then calls the completion") func detachedWork() throws {
        let loop = try EventLoop()
        let gate = try Pipe()
        let timer = try loop.timer { gate.wake() }
        let work = try loop.detach {
            _ = gate.waitForWake()
        } then: {
            loop.exit()
        }
        timer.fire(after: .zero)
        try loop.run()
        withExtendedLifetime(work) {}
    }

    @Test("detached work can be waited for, and is done without its completion if it is released")
    func detachedWorkWithoutTheLoop() throws {
        let loop = try EventLoop()
        let (gate, done) = (try Pipe(), try Pipe())
        var completions = 0
        try loop.detach({}, then: { completions += 1 }).finish()
        #expect(completions == 1)
        var released: (any DetachedWork)? = try loop.detach {
            _ = gate.waitForWake()
            done.wake()
        } then: {
            completions += 1
        }
        #expect(released != nil)
        released = nil
        gate.wake()
        #expect(done.waitForWake())
        let timer = try loop.timer { loop.exit() }
        timer.fire(after: .zero)
        try loop.run()
        #expect(completions == 1)
    }

    @Test func timerBeyondTheRangeOfTheClockNeverFires() throws {
        let loop = try EventLoop()
        let never = try loop.timer { Issue.record("a timer that should never fire has fired") }
        never.fire(after: .seconds(Int64.max))
        let timer = try loop.timer { loop.exit() }
        timer.fire(after: .milliseconds(1))
        try loop.run()
    }

    @Test(
        "every duration is converted, up to never",
        arguments: [
            (Duration.milliseconds(18_446_744_073_709_552), UInt64.max),
            (.milliseconds(18_446_744_073_709_551), 18_446_744_073_709_551_000), (.seconds(Int64.max), .max),
            (.seconds(Int64.min), 0), (.nanoseconds(-1), 0), (.nanoseconds(1), 1), (.microseconds(5), 5),
        ])
    func durationsAreConverted(duration: Duration, microseconds: UInt64) {
        #expect(EventLoop.microseconds(duration) == microseconds)
        #expect(EventLoop.moment(in: microseconds, from: .max) >= UInt64(Int64.max))
        #expect(EventLoop.moment(in: microseconds, from: .min) == microseconds)
    }

    @Test(
        "a timer is late by at most 1% of its interval and at most a second",
        arguments: [0, 1, 99, 100, 50_000, 700_000, 30_000_000, 31_536_000_000_000, UInt64.max])
    func timersAreAccurate(microseconds: UInt64) {
        let accuracy = EventLoop.accuracy(microseconds)
        #expect(accuracy >= 1, "0 means 250 ms")
        #expect(accuracy <= max(1, microseconds / 100) && accuracy <= 1_000_000)
    }

    @Test func sourceCanBeReleasedInItsOwnHandler() throws {
        let loop = try EventLoop()
        var timer: EventSource?
        timer = try loop.timer {
            timer = nil
            loop.exit()
        }
        timer?.fire(after: .zero)
        try loop.run()
        #expect(timer == nil)
    }

    @Test func errorNamesTheOperationItsSubjectAndTheReason() {
        let error = SystemError("inotify_add_watch", on: "/etc", code: 28)
        #expect(error.description == "inotify_add_watch /etc: No space left on device (ENOSPC)")
    }
}
