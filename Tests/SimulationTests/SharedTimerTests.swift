// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import ReveilleSystem
import Testing

@Suite(.timeLimit(.minutes(10))) struct SharedTimerTests {
    private let loop = SimulatedLoop()
    private let timer: SharedTimer

    init() throws {
        timer = try SharedTimer(loop: loop)
    }

    /// A poll that counts its calls.
    private final class Counter {
        var count = 0
        private var poll: SharedTimer.Poll?

        init(_ timer: SharedTimer, every interval: Duration) {
            poll = timer.poll { [weak self] in
                self?.count += 1
                self?.poll?.fire(within: interval)
            }
            poll?.fire(within: interval)
        }
    }

    private func wakeUps(in duration: Duration) -> Int {
        var random = SplitMix64(seed: 1)
        let end = loop.bootClock + EventLoop.microseconds(duration)
        var count = 0
        while let next = loop.nextDeadline, next <= end {
            loop.advance(.microseconds(next > loop.bootClock ? next - loop.bootClock : 0))
            while loop.turn(&random) { count += 1 }
        }
        if end > loop.bootClock { loop.advance(.microseconds(end - loop.bootClock)) }
        return count
    }

    @Test("polls that start at different times share their wake-ups", arguments: [0, 256] as [UInt64])
    func wakeUpsAreShared(lateness: UInt64) {
        loop.lateness = lateness
        let sensors = [230, 170, 510].map { wait in
            loop.advance(.milliseconds(wait))
            return Counter(timer, every: .milliseconds(500))
        }
        loop.advance(.milliseconds(130))
        let battery = Counter(timer, every: .seconds(30))
        #expect(wakeUps(in: .seconds(60)) <= 121)
        #expect(sensors.allSatisfy { (119...121).contains($0.count) }, "\(sensors.map(\.count))")
        #expect((1...3).contains(battery.count))
    }

    @Test("a poll runs early if another one is due") func pollRunsEarly() {
        let frequent = Counter(timer, every: .milliseconds(700))
        let rare = Counter(timer, every: .seconds(10))
        #expect(wakeUps(in: .seconds(70)) <= 101)
        #expect((99...101).contains(frequent.count) && (6...8).contains(rare.count))
    }

    @Test(
        "a poll runs once an interval, whatever its length",
        arguments: [
            .microseconds(1), .milliseconds(1), .milliseconds(700), .seconds(1), .seconds(61), .seconds(86_400),
        ]
            as [Duration])
    func intervalIsKept(interval: Duration) {
        loop.lateness = 256
        let poll = Counter(timer, every: interval)
        _ = wakeUps(in: interval * 100)
        #expect((50...115).contains(poll.count), "\(poll.count) calls in 100 intervals")
    }

    @Test(
        "a poll runs neither immediately nor after more than its interval",
        arguments: [0, 1, 59, 60, 300, 499, 500], [500, 60_000, 600_000])
    func firstCallIsWithinTheInterval(start: Int, milliseconds: Int) {
        loop.advance(.milliseconds(start))
        let before = loop.bootClock
        let poll = timer.poll {}
        poll.fire(within: .milliseconds(milliseconds))
        let wait = (loop.nextDeadline ?? 0) - before
        #expect(wait >= milliseconds * 1_000 / 8 && wait <= milliseconds * 1_000 * 9 / 8)
        #expect(milliseconds <= 60_000 || wait >= (milliseconds - 60_000) * 1_000)
    }

    @Test(
        "durations beyond the range of the clock never end", arguments: [Duration.seconds(Int64.max), .seconds(1e18)])
    func longestDurationNeverEnds(duration: Duration) {
        let poll = timer.poll { Issue.record("a poll that should never run has run") }
        poll.fire(within: duration)
        #expect(wakeUps(in: .seconds(86_400 * 365)) == 0)
    }

    @Test("a handler may cancel, schedule and release polls") func handlersMayChangePolls() {
        var calls: [String] = []
        var other: SharedTimer.Poll?
        var third: SharedTimer.Poll?
        let first = timer.poll {
            calls.append("first")
            other?.disarm()
            third = nil
        }
        other = timer.poll {
            calls.append("other")
            first.disarm()
            third = nil
        }
        third = timer.poll {
            calls.append("third")
            first.disarm()
            other?.disarm()
        }
        for poll in [first, other, third] { poll?.fire(within: .seconds(1)) }
        #expect(wakeUps(in: .seconds(5)) == 1)
        #expect(calls.count <= 2 && calls.first != nil)
        third = timer.poll { calls.append("again") }
        third?.fire(within: .seconds(1))
        third?.disarm()
        other = nil
        third = nil
        #expect(wakeUps(in: .seconds(5)) == 0)
    }
}
