// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleSystem

/// Whether anybody needs the location, for a thread that blocks; safe to use from any thread.
final class Need: Sendable {
    /// How long the receiver goes on when nobody needs it, for programs that come right back, as after a restart of the bus.
    private static let linger: Duration = .seconds(5)

    /// The end of the need; `nil` while it lasts.
    private let ended = Lock<ContinuousClock.Instant?>(ContinuousClock.now - Need.linger)
    /// Wakes the thread at each change.
    let changes: Pipe
    /// Only this thread is sure to be free: the publisher blocks one of the runtime's, which may have no other.
    private let thread: LoopThread

    init() throws(SystemError) {
        changes = try Pipe()
        thread = try LoopThread()
    }

    /// When the receiver may rest; `nil` while somebody needs the location.
    var end: ContinuousClock.Instant? { ended.withLock { $0.map { $0 + Self.linger } } }

    var isThere: Bool { end.map { $0 > .now } ?? true }

    /// Follows the demand for a name, until the process ends; without an answer of the bus, the name is needed.
    func follow(_ name: Aspect, on device: Device) {
        Task(executorPreference: thread) { [self] in
            do throws(ReveilleError) {
                for try await isNeeded in device.demand(for: name) { set(isNeeded) }
            } catch {
                set(true)
            }
        }
    }

    private func set(_ isNeeded: Bool) {
        ended.withLock { $0 = isNeeded ? nil : $0 ?? .now }
        changes.wake()
    }

    /// Blocks until the location is needed, or a deadline; returns whether it is needed.
    func wait(until deadline: ContinuousClock.Instant?) throws(SystemError) -> Bool {
        while !isThere {
            let patience = deadline.map { $0 - .now } ?? .seconds(Int32.max)
            guard patience > .zero else { return false }
            guard try Readiness.wait(changes.readingEnd, for: .readable, atMost: patience) else { continue }
            changes.drain()
        }
        return true
    }
}
