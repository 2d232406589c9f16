// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import ReveilleSystem

@Suite(.timeLimit(.minutes(10))) struct EventLoopTests {
    /// Numbers that a seed determines.
    private struct Sequence: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

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
        #expect(accuracy <= microseconds / 100 && accuracy <= 1_000_000)
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

    @Test("sources that are due together are called by priority, then in the order in which they became due")
    func priorities() throws {
        let loop = try EventLoop()
        let order: [EventSource.Priority] = [.idle, .flood, .normal, .watcher, .normal]
        let pipes = try order.map { _ in try Pipe() }
        var called: [Int] = []
        let sources = try zip(pipes, order).enumerated().map { index, pair in
            try loop.watch(pair.0.readingEnd, for: .readable, priority: pair.1) { _ in
                pair.0.drain()
                called.append(index)
                if called.count == order.count { loop.exit() }
            }
        }
        for pipe in pipes { pipe.wake() }
        try loop.run()
        #expect(called.first == 3 && Set(called[1...2]) == [2, 4] && called.suffix(2) == [1, 0])
        withExtendedLifetime(sources) {}
    }

    @Test("a source of a higher priority that becomes due in a handler is called before those that were due")
    func higherPriorityPasses() throws {
        let loop = try EventLoop()
        let (urgent, others) = (try Pipe(), [try Pipe(), try Pipe()])
        var called: [String] = []
        let watcher = try loop.watch(urgent.readingEnd, for: .readable, priority: .watcher) { _ in
            urgent.drain()
            called.append("urgent")
        }
        let sources = try others.map { pipe in
            try loop.watch(pipe.readingEnd, for: .readable) { _ in
                pipe.drain()
                if called.isEmpty { urgent.wake() }
                called.append("normal")
                if called.count == 3 { loop.exit() }
            }
        }
        for pipe in others { pipe.wake() }
        try loop.run()
        #expect(called == ["normal", "urgent", "normal"])
        withExtendedLifetime((watcher, sources)) {}
    }

    @Test("a source that another handler ends while both are due is not called") func endsWhileDue() throws {
        let loop = try EventLoop()
        let pipes = [try Pipe(), try Pipe()]
        var sources: [EventSource] = []
        var called = 0
        for pipe in pipes {
            sources.append(
                try loop.watch(pipe.readingEnd, for: .readable) { _ in
                    called += 1
                    sources = []
                    loop.exit()
                })
            pipe.wake()
        }
        try loop.run()
        #expect(called == 1)
        let timer = try loop.timer {}
        timer.fire(after: .zero)
    }

    @Test("sources that are always due take no more memory with each turn") func alwaysDue() {
        var due = DueSources()
        let sources = (0..<3).map { _ in DueSource(.normal) { _ in } }
        for source in sources { due.add(source) }
        for turn in 0..<10_000 {
            let first = due.takeFirst()
            #expect(first === sources[turn % 3])
            if let first { due.add(first) }
        }
        #expect(due.placeCount < 200)
    }

    @Test("of more sources than the kernel reports at once, the one of the highest priority is called first")
    func priorityBeyondOneReport() throws {
        let loop = try EventLoop()
        let pipes = try (0..<200).map { _ in try Pipe() }
        var called: [Int] = []
        let sources = try pipes.indices.map { index in
            try loop.watch(pipes[index].readingEnd, for: .readable, priority: index == 199 ? .watcher : .normal) { _ in
                pipes[index].drain()
                called.append(index)
                loop.exit()
            }
        }
        for pipe in pipes { pipe.wake() }
        try loop.run()
        #expect(called == [199])
        withExtendedLifetime(sources) {}
    }

    @Test("a second watch of a descriptor is refused, and the first one stays") func secondWatch() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        let first = try loop.watch(pipe.readingEnd, for: .readable) { _ in loop.exit() }
        let error = #expect(throws: SystemError.self) { try loop.watch(pipe.readingEnd, for: .readable) { _ in } }
        #expect(error?.code == EEXIST)
        pipe.wake()
        try loop.run()
        withExtendedLifetime(first) {}
    }

    @Test("timers fire in the order of their times, whatever was set, stopped and set again", arguments: 0..<20)
    func timersFireInOrder(seed: UInt64) throws {
        var random = Sequence(state: seed)
        let loop = try EventLoop()
        var times: [Int: Int] = [:]
        var fired: [Int] = []
        let timers = try (0..<40).map { index in
            try loop.timer {
                fired.append(index)
                if fired.count == times.count { loop.exit() }
            }
        }
        for _ in 0..<200 {
            let index = Int.random(in: timers.indices, using: &random)
            if Int.random(in: 0..<4, using: &random) == 0 {
                timers[index].disarm()
                times[index] = nil
            } else {
                let time = Int.random(in: 0..<20, using: &random)
                timers[index].fire(after: .milliseconds(time))
                times[index] = time
            }
        }
        timers[0].fire(after: .milliseconds(30))
        times[0] = 30
        try loop.run()
        #expect(Set(fired) == Set(times.keys) && fired.count == times.count)
        #expect(fired.last == 0)
    }

    @Test func errorNamesTheOperationItsSubjectAndTheReason() {
        let error = SystemError("inotify_add_watch", on: "/etc", code: 28)
        #expect(error.description == "inotify_add_watch /etc: No space left on device (ENOSPC)")
    }
}
