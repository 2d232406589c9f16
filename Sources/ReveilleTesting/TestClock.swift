// SPDX-License-Identifier: Apache-2.0

import Reveille
public import ReveilleCore
import ReveilleSystem

/// A clock that only a test moves, for devices of ``TestDevice``.
///
/// `Timestamp.now` and other clocks do not follow it. A program that schedules `.at(.now + .seconds(300))` is tested on a
/// clock that begins there: `TestClock(at: .now)`. Safe to use from any thread and any actor.
public final class TestClock: Sendable {
    private let hands: ClockHands
    var thread: LoopThread { hands.thread }

    /// Creates a clock that stands still, by default at the start of Monday, 2026-06-01, in UTC.
    ///
    /// - Throws: `ReveilleError` with `ReveilleError.Code.system` if the system cannot create a thread.
    public init(at time: Timestamp = Timestamp(microseconds: 1_780_272_000_000_000)) throws {
        do throws(SystemError) { hands = try ClockHands(at: time) } catch { throw ReveilleError(.system, "\(error)") }
    }

    /// Moves the clock, and stops on the way at each time at which something is due on its devices.
    ///
    /// When it returns, everything that was due has happened, and subscriptions have their events. It takes time for each
    /// of these stops, and ends early in a cancelled task. A negative duration counts as zero.
    ///
    /// - Returns: The time that the clock then shows.
    @discardableResult
    public func advance(by duration: Duration) async -> Timestamp {
        Timestamp(microseconds: await hands.advance(by: duration))
    }
}

/// The part of a clock on the thread that its devices share.
private actor ClockHands {
    nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private lazy var idle = DeferredCalls(loop: thread.loop, priority: .idle)

    init(at time: Timestamp) throws(SystemError) {
        thread = try LoopThread { TestLoop($0, at: time.microseconds) }
    }

    // The users of the loop are released on its thread.
    isolated deinit {}

    func advance(by duration: Duration) async -> Int64 {
        guard let loop = thread.time as? TestLoop else { return thread.time.wallClock }
        var left = EventLoop.microseconds(duration)
        await settle()
        while left > 0, !Task.isCancelled {
            left = loop.advance(left)
            await settle()
        }
        return loop.wallClock
    }

    /// Waits until nothing is due on the thread.
    private func settle() async {
        await withCheckedContinuation { continuation in idle.add { continuation.resume() } }
    }
}
