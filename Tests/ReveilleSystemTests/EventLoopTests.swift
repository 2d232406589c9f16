// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem
import Testing

@Suite(.timeLimit(.minutes(10))) struct EventLoopTests {
    @Test func timerFiresOnceEachTimeThatItIsSet() throws {
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
        // The handler holds the timer that holds it.
        timer = nil
    }

    @Test func timerThatWasMovedFiresAtItsNewTime() throws {
        let loop = try EventLoop()
        let timer = try loop.timer { loop.exit() }
        timer.fire(after: .seconds(3_600))
        timer.fire(after: .zero)
        try loop.run()
    }

    @Test func timerOfALongerTimeThanCanBeCountedNeverFires() throws {
        let loop = try EventLoop()
        let never = try loop.timer { Issue.record("a timer for the end of time fired") }
        never.fire(after: .seconds(Int64.max))
        let timer = try loop.timer { loop.exit() }
        timer.fire(after: .milliseconds(1))
        try loop.run()
    }

    @Test func sourceThatIsReleasedInItsOwnHandlerIsGone() throws {
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

    @Test func errorNamesWhatWasTriedOnWhatAndWhy() {
        let error = SystemError("inotify_add_watch", on: "/etc", code: 28)
        #expect(error.description == "inotify_add_watch /etc: No space left on device (ENOSPC)")
    }
}
